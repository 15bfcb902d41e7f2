"""Mounts a FUSE file system that answers the kernel's greeting and little else: silent-fuse.py DIRECTORY [stat|interrupt|deny]

Alone it never answers again. With `stat` it also tells what is there, which is a regular file by any name, and keeps silent
when one is opened. With `interrupt` a signal is said to have come in between whatever is asked for by name. With `deny` its
directory lists a file `there`, which it says does not exist when it is asked for it.
"""
import ctypes, errno, os, struct, sys

directory, says = sys.argv[1], sys.argv[2:]
device = os.open('/dev/fuse', os.O_RDWR)
options = f'fd={device},rootmode=40000,user_id=0,group_id=0'
libc = ctypes.CDLL(None, use_errno=True)
if libc.mount(b'silent', directory.encode(), b'fuse.silent', 0, options.encode()) != 0:
    sys.exit(os.strerror(ctypes.get_errno()))

def receive():
    request = os.read(device, 1 << 20)
    return struct.unpack_from('=IIQQ', request)[1:] + (request[40:],)

def answer(unique, body, error=0):
    os.write(device, struct.pack('=IiQ', 16 + len(body), -error, unique) + body)

def attributes(node):
    mode, links = (0o40755, 2) if node == 1 else (0o100644, 1)
    return struct.pack('=6Q10I', node, 1, 0, 0, 0, 0, 0, 0, 0, mode, links, 0, 0, 0, 4096, 0)

# The numbers and structures are those of linux/fuse.h; the greeting says version 7.31 and no options.
_, unique, _, _ = receive()
answer(unique, struct.pack('=IIIIHHIIHHI7I', 7, 31, 65536, 0, 12, 9, 65536, 1, 0, 0, 0, *[0] * 7))
print('mounted', flush=True)
LOOKUP, GETATTR, STATFS, GETXATTR, OPENDIR, READDIR, RELEASEDIR, STATX = 1, 3, 17, 22, 27, 28, 29, 52
while True:
    operation, unique, node, body = receive()
    if not says:
        continue
    if operation == LOOKUP:
        if says == ['stat']:
            answer(unique, struct.pack('=4Q2I', 2, 0, 0, 0, 0, 0) + attributes(2))
        else:
            answer(unique, b'', errno.EINTR if says == ['interrupt'] else errno.ENOENT)
    elif operation == GETATTR:
        answer(unique, struct.pack('=Q2I', 0, 0, 0) + attributes(node))
    elif operation == STATFS:
        answer(unique, struct.pack('=5Q4I24x', 0, 0, 0, 0, 0, 4096, 255, 4096, 0))
    elif operation in (GETXATTR, STATX):
        answer(unique, b'', errno.ENOSYS)
    elif operation == OPENDIR:
        answer(unique, struct.pack('=QII', 0, 0, 0))
    elif operation == READDIR:
        _, offset = struct.unpack_from('=QQ', body)
        answer(unique, struct.pack('=QQII8s', 2, 1, 5, 8, b'there') if offset == 0 else b'')
    elif operation == RELEASEDIR:
        answer(unique, b'')
