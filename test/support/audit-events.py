"""Loads sets of audit rules, does things to a file under several accounts, and prints as JSON what the kernel recorded of it.

Standard input holds a list of sets of rules. With auditing off before and afterwards, and no daemon, records are taken from the
multicast group of the kernel. Every child has a login uid of its own, which nothing else on the machine has.
"""
import json, os, re, select, socket, struct, subprocess, sys

FILE, LOGINS, USERS = sys.argv[1], [int(each) for each in sys.argv[2].split(",")], [0, 5555, 5556]
NETLINK_AUDIT, READ_LOG, SYSCALL, PATH, USER_MESSAGE = 9, 1, 1300, 1302, 1107

log = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_AUDIT)
log.setsockopt(socket.SOL_SOCKET, 33, 16 * 1024 * 1024)  # SO_RCVBUFFORCE
log.bind((0, READ_LOG))
sender = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_AUDIT)

ACTIONS = {
    "read": lambda: os.close(os.open(FILE, os.O_RDONLY)),
    "write": lambda: os.close(os.open(FILE, os.O_WRONLY)),
    "both": lambda: os.close(os.open(FILE, os.O_RDWR)),
    "attribute": lambda: os.getxattr(FILE, "user.none"),
    "truncate": lambda: os.truncate(FILE, os.stat(FILE).st_size),
    "chmod": lambda: os.chmod(FILE, 0o777),
    "chown": lambda: os.chown(FILE, -1, -1),
    "link": lambda: os.link(FILE, FILE + str(os.getpid())),
    # Last, because nothing comes after it.
    "run": lambda: os.execv(FILE, [FILE]),
}
CALLS = {191: "attribute", 76: "truncate", 90: "chmod", 92: "chown", 86: "link", 59: "run"}
OPENED = {os.O_RDONLY: "read", os.O_WRONLY: "write", os.O_RDWR: "both"}


def act(login, user):
    with open("/proc/self/loginuid", "w") as file:
        file.write(str(login))
    os.setresuid(user, user, user)
    for action in ACTIONS.values():
        try:
            action()
        except OSError:
            pass
    os._exit(0)


def records(marker):
    """All records up to the message with this text, which the kernel queues behind them."""
    text = marker.encode() + b"\0"
    sender.send(struct.pack("IHHII", 16 + len(text), USER_MESSAGE, 1, 0, 0) + text)
    while True:
        if not select.select([log], [], [], 20)[0]:
            raise TimeoutError("the kernel sends no records")
        data = log.recv(65536)
        (kind,) = struct.unpack_from("H", data, 4)
        body = data[16:].decode(errors="replace")
        if kind == USER_MESSAGE and f"msg='{marker}'" in body:
            return
        yield kind, body


def recorded(number, rules):
    text = "-D\n-i\n" + "".join(rule + "\n" for rule in rules)
    with open(FILE + ".rules", "w") as file:
        file.write(text)
    subprocess.run(["auditctl", "-R", FILE + ".rules"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    children = {}
    for login in LOGINS:
        for user in USERS:
            child = os.fork()
            if child == 0:
                act(login, user)
            children[child] = f"{login}/{user}"
            os.waitpid(child, 0)
    calls, named = {}, set()
    for kind, body in records(f"driftgate-test-{number}"):
        serial = body[: body.find(")")]
        if kind == SYSCALL:
            field = dict(re.findall(r"(\w+)=(\S+)", body))
            call, child = int(field["syscall"]), children.get(int(field["pid"]))
            what = OPENED.get(int(field["a2"], 16) & 3) if call == 257 else CALLS.get(call)
            if child is not None and what is not None:
                calls[serial] = f"{child} {what}"
        elif kind == PATH and f'name="{FILE}"' in body:
            named.add(serial)
    return sorted(what for serial, what in calls.items() if serial in named)


subprocess.run(["auditctl", "-e", "1"], stdout=subprocess.DEVNULL, check=True)
try:
    print(json.dumps([recorded(number, rules) for number, rules in enumerate(json.load(sys.stdin))]))
finally:
    subprocess.run(["auditctl", "-e", "0"], stdout=subprocess.DEVNULL)
