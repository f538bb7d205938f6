# Kopf's operator with nothing to do.
#   python kopf_program.py <url>
import asyncio
import sys

import kopf
import uvloop

kopf.configure(quiet=True)


@kopf.on.login()
def login(**_):
    return kopf.ConnectionInfo(server=sys.argv[1], insecure=True)


@kopf.on.startup()
def configure(settings, **_):
    settings.posting.enabled = False


@kopf.on.create('peers.dev', 'v1', 'widgets')
@kopf.on.update('peers.dev', 'v1', 'widgets')
async def handle(**_):
    pass


loop = uvloop.new_event_loop()
asyncio.set_event_loop(loop)
kopf.run(loop=loop, standalone=True, clusterwide=True)
