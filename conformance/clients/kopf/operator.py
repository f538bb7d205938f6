# An operator of Kopf: handlers of creation, update and deletion, a timer and an index, over widgets.clients.example.com.
# It is run by Kopf's own command, on the cluster of KUBECONFIG, and prints what it does as lines of JSON on standard output.
import json

import kopf

WIDGETS = ('clients.example.com', 'v1', 'widgets')


def say(event, name, **more):
    print(json.dumps({'event': event, 'name': name, **more}), flush=True)


@kopf.on.startup()
async def started(**_):
    say('started', '')


@kopf.on.cleanup()
async def ended(**_):
    say('stopped', '')


@kopf.index(*WIDGETS)
async def by_size(spec, name, **_):
    return {spec['size']: name}


@kopf.on.create(*WIDGETS)
async def create(spec, name, patch, retry, **_):
    if retry == 0:
        raise kopf.TemporaryError('once more', delay=0.1)
    patch.status['phase'] = 'Created'
    patch.status['observed'] = spec['size']
    say('create', name, size=spec['size'], retry=retry)
    return {'retry': retry}


@kopf.on.update(*WIDGETS, field='spec.size')
async def update(old, new, name, patch, body, **_):
    patch.status['phase'] = 'Updated'
    patch.status['observed'] = new
    kopf.info(body, reason='Resized', message=f'from {old} to {new}')
    say('update', name, old=old, new=new)


@kopf.on.delete(*WIDGETS)
async def delete(spec, name, **_):
    say('delete', name, size=spec['size'])


@kopf.on.event('configmaps', labels={'team': 'web'})
async def seen(type, name, **_):
    say('event', name, type=type)


@kopf.timer(*WIDGETS, interval=1.0)
async def tick(name, by_size, **_):
    say('tick', name, sizes={str(size): sorted(names) for size, names in by_size.items()})
