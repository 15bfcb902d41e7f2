"""Loads one set of firewall rules after another, sends packets at them, and tells which of them came through.

Reads cases as JSON from standard input, in a network namespace of its own:
  [{"kind": "nft" | "iptables-legacy" | "iptables-nft", "rules": TEXT where <A|B> is A for IPv4 and B for IPv6,
    "packets": [{"family": 4 | 6, "interface": "lo" | "red0" | "red1" | "" for what the machine itself sends,
                 "protocol": 6 | 17, "source", "destination", "sport", "dport"}]}]
and prints [{"nft": LISTING, "save": LISTING or null, "through": [SPORT], "left": [SPORT]}]: which of them came to the machine, and
which left it again or were sent by it. Every source port has to be used once. What lies behind red1 has the addresses
198.51.100.0/24 and 2001:db8:f::/48.
"""
import json
import os
import re
import socket
import struct
import subprocess
import sys
import time

HARDWARE = {'lo': bytes(6), 'red0': bytes.fromhex('02000000000a'), 'red1': bytes.fromhex('02000000001a')}
DEADLINE_S = 60
WIRE = {'lo': 'lo', 'red0': 'peer0', 'red1': 'peer1'}
# What comes in first and what is left last tells what was sent and what came through.
PROBE = """
table inet probe {
  set sent { type inet_service; flags dynamic; size 65535; }
  set through { type inet_service; flags dynamic; size 65535; }
  set left { type inet_service; flags dynamic; size 65535; }
  chain first { type filter hook prerouting priority -2000; policy accept; meta l4proto { tcp, udp } add @sent { th sport }; }
  chain own { type filter hook output priority -2000; policy accept; meta l4proto { tcp, udp } add @sent { th sport }; }
  chain last { type filter hook input priority 2000; policy accept; meta l4proto { tcp, udp } add @through { th sport }; }
  chain end { type filter hook postrouting priority 2000; policy accept; meta l4proto { tcp, udp } add @left { th sport }; }
  chain away { type filter hook postrouting priority 2001; policy accept; oifname "red1" drop; }
}
"""
EMPTY = '*filter\n:INPUT ACCEPT\n:FORWARD ACCEPT\n:OUTPUT ACCEPT\nCOMMIT\n'


def run(*argv, text=None):
    return subprocess.run(argv, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


def load(rules):
    """Without the lines that nft refuses: conditions are put together at random, and some contradict each other."""
    lines = rules.split('\n')
    while True:
        ended = subprocess.run(['nft', '-f', '-'], input='\n'.join(lines), capture_output=True, text=True)
        if ended.returncode == 0:
            return
        refused = {int(line) for line in re.findall(r'^/dev/stdin:(\d+):', ended.stderr, re.MULTILINE)}
        if not any(lines[line - 1] for line in refused):
            sys.exit(f'{ended.stderr} in {lines}')
        lines = ['' if index + 1 in refused else line for index, line in enumerate(lines)]


def checksum(data):
    data += b'\0' * (len(data) % 2)
    total = sum(struct.unpack(f'!{len(data) // 2}H', data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def frame(packet):
    family = socket.AF_INET if packet['family'] == 4 else socket.AF_INET6
    ends = [socket.inet_pton(family, packet[end]) for end in ('source', 'destination')]
    ports = struct.pack('!HH', packet['sport'], packet['dport'])
    if packet['protocol'] == 6:
        body = ports + struct.pack('!IIBBHHH', 1, 0, 0x50, 2, 1024, 0, 0)
        at = 16
    else:
        body = ports + struct.pack('!HH', 8, 0)
        at = 6
    pseudo = b''.join(ends) + (struct.pack('!HH', packet['protocol'], len(body)) if packet['family'] == 4
                               else struct.pack('!II', len(body), packet['protocol']))
    body = body[:at] + struct.pack('!H', checksum(pseudo + body) or 0xFFFF) + body[at + 2:]
    if packet['family'] == 4:
        start = struct.pack('!BBHHHBB', 0x45, 0, 20 + len(body), 0, 0, 64, packet['protocol'])
        header = start + struct.pack('!H', checksum(start + b'\0\0' + b''.join(ends))) + b''.join(ends)
    else:
        header = struct.pack('!IHBB', 6 << 28, len(body), packet['protocol'], 64) + b''.join(ends)
    if packet['interface'] == '':
        return header + body
    hardware = HARDWARE[packet['interface']]
    kind = 0x0800 if packet['family'] == 4 else 0x86DD
    return hardware + bytes.fromhex('02000000000b') + struct.pack('!H', kind) + header + body


def elements(name):
    listed = json.loads(run('nft', '-j', 'list', 'set', 'inet', 'probe', name))
    return [each for entry in listed['nftables'] if 'set' in entry for each in entry['set'].get('elem', [])]


def prepare():
    for number in '01':
        run('ip', 'link', 'add', f'red{number}', 'address', f'02:00:00:00:00:{number}a', 'type', 'veth', 'peer', 'name', f'peer{number}')
        run('ip', 'address', 'add', f'192.0.{2 + int(number)}.1/24', 'dev', f'red{number}')
        run('ip', 'address', 'add', f'2001:db8:{number}::1/64', 'dev', f'red{number}', 'nodad')
        run('ip', 'link', 'set', f'red{number}', 'up')
        run('ip', 'link', 'set', f'peer{number}', 'up')
    run('ip', 'link', 'set', 'lo', 'up')
    run('ip', 'route', 'add', '198.51.100.0/24', 'dev', 'red1')
    run('ip', 'route', 'add', '2001:db8:f::/48', 'dev', 'red1')
    for name in ('ipv4/ip_forward', 'ipv6/conf/all/forwarding'):
        with open(f'/proc/sys/net/{name}', 'w') as file:
            file.write('1')
    # Forged packets have to come as far as the rules.
    for name in ('all', 'lo', 'red0', 'red1'):
        for parameter, value in (('rp_filter', 0), ('route_localnet', 1), ('accept_local', 1)):
            with open(f'/proc/sys/net/ipv4/conf/{name}/{parameter}', 'w') as file:
                file.write(str(value))


def send(packet, wires):
    if packet['interface'] != '':
        wires[packet['interface']].send(frame(packet))
        return
    end = (packet['destination'], 0) if packet['family'] == 4 else (packet['destination'], 0, 0, 0)
    try:
        wires[packet['family']].sendto(frame(packet), end)
    except PermissionError:
        # So a sender is told that a rule has dropped it.
        pass


def judge(case, wires):
    nft = case['kind'] == 'nft'
    load(f'flush ruleset\n{case["rules"] if nft else ""}{PROBE}')
    for index, name in enumerate(() if nft else ('iptables', 'ip6tables')):
        variant = case['kind'].replace('iptables', name)
        rules = re.sub('<(.*?)[|](.*?)>', lambda found: found[index + 1], case['rules'])
        run(f'{variant}-restore', '-n', text=rules)
    listing = run('nft', '-j', 'list', 'ruleset')
    save = None if nft else [run(f'{case["kind"].replace("iptables", name)}-save') for name in ('iptables', 'ip6tables')]
    for packet in case['packets']:
        send(packet, wires)
    # Answers come in, too, where they are sent to the machine itself.
    end = time.monotonic() + DEADLINE_S
    while not {packet['sport'] for packet in case['packets']} <= set(elements('sent')):
        if time.monotonic() > end:
            sys.exit(f'packets were lost on the way to {case}')
    through, left = elements('through'), elements('left')
    if case['kind'] == 'iptables-legacy':
        for name in ('iptables', 'ip6tables'):
            run(f'{name}-legacy-restore', text=EMPTY)
            # Only a table that was asked for is there to be emptied.
            if '*nat' in case['rules']:
                run(f'{name}-legacy-restore', text='*nat\nCOMMIT\n')
    return {'nft': listing, 'save': save, 'through': through, 'left': left}


# On one processor, a packet that was seen to come in has passed all rules before the next question.
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
prepare()
wires = {}
for name, wire in WIRE.items():
    wires[name] = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    wires[name].bind((wire, 0))
for family, kind in ((4, socket.AF_INET), (6, socket.AF_INET6)):
    wires[family] = socket.socket(kind, socket.SOCK_RAW, socket.IPPROTO_RAW)
print(json.dumps([judge(case, wires) for case in json.load(sys.stdin)]))
