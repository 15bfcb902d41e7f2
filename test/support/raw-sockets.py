"""Makes sockets that Node.js cannot make, in a network namespace of its own: raw ones, and ones of UDP-Lite.

Reads [{"protocol": "raw" | "udplite", "family": 4 | 6, "address", "number", "connected": BOOL, "v6only": BOOL}] from standard
input, runs the command that it is given while all of them are open, and prints what that has printed, what ss lists of raw
sockets, and those that have no peer: {"printed": TEXT, "ss": TEXT, "made": ["PROTOCOL ADDRESS:NUMBER ino:INODE"]}.
"""
import json
import os
import socket
import subprocess
import sys

UDPLITE = 136
FAMILIES = {4: socket.AF_INET, 6: socket.AF_INET6}
sockets = []
made = []
for want in json.load(sys.stdin):
    family = FAMILIES[want['family']]
    is_raw = want['protocol'] == 'raw'
    kind, protocol = (socket.SOCK_RAW, want['number']) if is_raw else (socket.SOCK_DGRAM, UDPLITE)
    own = socket.socket(family, kind, protocol)
    # The kernel lets nobody say it of a raw socket.
    if want['family'] == 6 and not is_raw:
        own.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, want['v6only'])
    own.bind((want['address'], 0 if is_raw else want['number']))
    if want['connected']:
        own.connect(('127.0.0.1' if want['family'] == 4 else '::1', 0 if is_raw else 9))
    else:
        host = want['address'] if want['family'] == 4 else '[%s]' % want['address']
        made.append('%s %s:%d ino:%d' % (want['protocol'], host, want['number'], os.fstat(own.fileno()).st_ino))
    sockets.append(own)
printed = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, text=True, check=True).stdout
listing = subprocess.run(['ss', '-H', '-wlneO'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
print(json.dumps({'printed': printed, 'ss': listing.stdout, 'made': made}))
