# A daemon and a timer for each widget of a server, in Kopf: python kopf_program.py URL WIDGETS IDLE
import asyncio, gc, json, logging, os, re, resource, sys, time
import kopf, uvloop

url, widgets, idle = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
logging.disable(logging.WARNING)
daemons = 0
ticks = 0
timed = set()
up = asyncio.Event()

# MB: VmRSS is what is held now, VmHWM the most that ever was.
def memory(which):
    with open('/proc/self/status') as f:
        return int(re.search(which + r':\s+(\d+)', f.read()).group(1)) / 1024

def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime

def say(what):
    print(f'  kopf: {what}', file=sys.stderr, flush=True)

async def tell_progress():
    while True:
        await asyncio.sleep(5)
        say(f'{daemons} daemons, {len(timed)} timers')

def check():
    if daemons == widgets and len(timed) == widgets:
        up.set()

@kopf.on.login()
def login(**_):
    return kopf.ConnectionInfo(server=url, token='t')

@kopf.on.startup()
def configure(settings, **_):
    settings.posting.enabled = False

@kopf.daemon('peers.dev', 'v1', 'widgets')
async def accompany(stopped, **_):
    global daemons
    daemons += 1
    check()
    while not stopped:
        await stopped.wait(10)

@kopf.timer('peers.dev', 'v1', 'widgets', interval=10)
async def tick(uid, **_):
    global ticks
    ticks += 1
    timed.add(uid)
    check()

async def main():
    gc.collect()
    base, begun, cpu_begun, flag = memory('VmRSS'), time.perf_counter(), cpu(), asyncio.Event()
    task = asyncio.create_task(kopf.operator(standalone=True, clusterwide=True, stop_flag=flag))
    progress = asyncio.create_task(tell_progress())
    await asyncio.wait_for(up.wait(), 180)
    progress.cancel()
    figures = dict(spawnMs=(time.perf_counter() - begun) * 1e3, spawnCpuMs=(cpu() - cpu_begun) * 1e3)
    say(f"all of {widgets} up in {figures['spawnMs']:.0f} ms; at rest for {12 + idle:.0f} s")
    timed.clear()
    await asyncio.sleep(12)
    cpu_before, ticks_before, idle_begun = cpu(), ticks, time.perf_counter()
    await asyncio.sleep(idle)
    took = time.perf_counter() - idle_begun
    figures.update(idleCpuPercent=(cpu() - cpu_before) / took * 100, ticksPerSecond=(ticks - ticks_before) / took)
    gc.collect()
    figures['kbPerObject'] = (memory('VmRSS') - base) * 1024 / widgets
    figures['peakKBPerObject'] = (memory('VmHWM') - base) * 1024 / widgets
    say('stopping')
    stopping = time.perf_counter()
    flag.set()
    try:
        await asyncio.wait_for(task, 60)
    except BaseException:
        pass
    figures['stopMs'] = (time.perf_counter() - stopping) * 1e3
    print(json.dumps(figures), flush=True)
    os._exit(0)

asyncio.Runner(loop_factory=uvloop.new_event_loop).run(main())
