"""OpenStack Swift with its S3 interface, all of its servers in one process. Prints its port when it is ready."""

import os
import sys

import eventlet

eventlet.monkey_patch()

from eventlet import tpool, wsgi  # noqa: E402
from swift.common import utils  # noqa: E402

folder, address, access_key, secret_key, region = sys.argv[1:]


def write(name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


# Read by what is imported next.
utils.SWIFT_CONF_FILE = write("swift.conf", "[swift-hash]\nswift_hash_path_suffix = test\n")

from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402

COMMON = f"""[DEFAULT]
swift_dir = {folder}
devices = {folder}
mount_check = false
fallocate_reserve = 0
disable_fallocate = true
"""
account, user = access_key.split(":")
PROXY = f"""{COMMON}
[pipeline:main]
pipeline = catch_errors gatekeeper s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:s3api]
use = egg:swift#s3api
location = {region}
[filter:tempauth]
use = egg:swift#tempauth
user_{account}_{user} = {secret_key} .admin
[filter:slo]
use = egg:swift#slo
"""


class NoCache:
    """Swift wants a memcached for the tokens of its own interface."""

    def get(self, *_, **__):
        return None

    def set(self, *_, **__):
        pass

    delete = set


def serve(listening, app):
    eventlet.spawn(wsgi.server, listening, app, log=open(os.devnull, "w"), log_output=False)


def start_keeper(kind):
    """One of the servers behind the proxy, with one disk, and the ring in which the proxy finds it."""
    listening = eventlet.listen(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    ring = RingBuilder(1, 1, 0)
    ring.add_dev({"region": 0, "zone": 0, "ip": "127.0.0.1", "port": port, "device": "disk", "weight": 1.0})
    ring.rebalance()
    ring.get_ring().save(os.path.join(folder, f"{kind}.ring.gz"))
    serve(listening, loadapp(write(f"{kind}.conf", f"{COMMON}[app:main]\nuse = egg:swift#{kind}\n")))


os.mkdir(os.path.join(folder, "disk"))
for one in ("account", "container", "object"):
    start_keeper(one)
proxy = loadapp(write("proxy.conf", PROXY))


def with_cache(environ, start_response):
    environ["swift.cache"] = NoCache()
    return proxy(environ, start_response)


door = eventlet.listen((address, 0))
serve(door, with_cache)
print(door.getsockname()[1], flush=True)
# Run until the process that started us ends, however that happens.
tpool.execute(sys.stdin.read)
