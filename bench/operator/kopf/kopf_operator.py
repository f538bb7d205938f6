# The operator of the bench in Kopf, written in its natural way. The cluster is that of KUBECONFIG.
#   python kopf_operator.py [--finalizer]
import asyncio
import sys

import kopf
import uvloop

kopf.configure(quiet=True)


@kopf.on.startup()
def configure(settings, **_):
    settings.posting.enabled = False


@kopf.on.create('peers.dev', 'v1', 'widgets')
@kopf.on.resume('peers.dev', 'v1', 'widgets')
@kopf.on.update('peers.dev', 'v1', 'widgets')
async def handle(spec, patch, **_):
    patch.status['phase'] = 'done'
    patch.status['observed'] = spec.get('value')


if '--finalizer' in sys.argv:

    @kopf.on.delete('peers.dev', 'v1', 'widgets')
    async def gone(**_):
        pass


loop = uvloop.new_event_loop()
asyncio.set_event_loop(loop)
kopf.run(loop=loop, standalone=True, clusterwide=True)
