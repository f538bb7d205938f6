# Two indices over the pods of a server, in Kopf: python kopf_program.py URL PODS
import asyncio, json, logging, os, sys, time
import kopf, uvloop

url, pods = sys.argv[1], int(sys.argv[2])
logging.disable(logging.WARNING)
seen = dict(indexed=0, at=None)
done = asyncio.Event()
indices = {}

@kopf.on.login()
def login(**_):
    return kopf.ConnectionInfo(server=url, token='t')

@kopf.on.startup()
def configure(settings, **_):
    settings.posting.enabled = False

def count():
    seen['indexed'] += 1
    if seen['indexed'] == 2 * pods:
        seen['at'] = time.perf_counter()

@kopf.index('pods')
def by_namespace(namespace, name, **_):
    count()
    return {namespace: name}

@kopf.index('pods')
def by_node(spec, name, **_):
    count()
    return {spec.get('nodeName'): name}

# Runs when the indices are complete, as all handlers do.
@kopf.on.event('pods')
async def event(by_node, **_):
    if not indices:
        indices['by_node'] = by_node
        seen['ready'] = time.perf_counter()
        done.set()

async def main():
    begun = time.perf_counter()
    task = asyncio.create_task(kopf.operator(standalone=True, clusterwide=True))
    await done.wait()
    index = indices['by_node']
    keys, lookups, found = list(index), 1_000_000, 0
    reading = time.perf_counter()
    for i in range(lookups):
        found += len(index[keys[i % len(keys)]])
    took = time.perf_counter() - reading
    print(json.dumps(dict(pods=pods, indexedMs=(seen['ready'] - begun) * 1e3, lookupsPerSecond=lookups / took)), flush=True)
    os._exit(0)

asyncio.Runner(loop_factory=uvloop.new_event_loop).run(main())
