import { constants as errors } from 'node:os'
import { constants } from 'node:fs'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import { findSystemProgram } from '../system-programs.ts'

// Node has no calls for extended attributes and inode flags. Perl and Python have, without extra packages: perl is
// essential on Debian, and the package managers of Red Hat are written in Python.

/** The command line that runs one of the scripts below; arguments of the script follow. */
export interface SystemProgram {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
}

/** Interpreters of the scripts, fastest first; the last is the system Python of Red Hat. */
const INTERPRETERS = ['perl', 'python3', 'platform-python'] as const

export type Interpreter = (typeof INTERPRETERS)[number]

/** The extended attributes, in the order of the answers. */
const ATTRIBUTES = ['system.posix_acl_access', 'system.posix_acl_default', 'security.capability'] as const

export type AttributeName = (typeof ATTRIBUTES)[number]

interface SystemCalls {
  readonly lgetxattr: number
  readonly listxattr: number
  readonly setxattr: number
  readonly removexattr: number
}

interface FlagCalls {
  readonly get: number
  readonly set: number
}

/** FS_IOC_GETFLAGS and FS_IOC_SETFLAGS; the numbers include the size of a `long`. @see ioctl_iflags(2) */
const FLAGS_OF_64: FlagCalls = { get: 0x80086601, set: 0x40086602 }
const FLAGS_OF_32: FlagCalls = { get: 0x80046601, set: 0x40046602 }

const FLAG_CALLS: Readonly<Record<string, FlagCalls>> = {
  x64: FLAGS_OF_64,
  arm64: FLAGS_OF_64,
  riscv64: FLAGS_OF_64,
  loong64: FLAGS_OF_64,
  s390x: FLAGS_OF_64,
  arm: FLAGS_OF_32,
  ia32: FLAGS_OF_32,
  ppc64: { get: 0x40086601, set: 0x80086602 },
}

/** Opens files to read their flags: without blocking, and without following a link. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

const GENERIC: SystemCalls = { lgetxattr: 9, listxattr: 11, setxattr: 5, removexattr: 14 }
const OLD: SystemCalls = { lgetxattr: 230, listxattr: 232, setxattr: 226, removexattr: 235 }

/** System calls that perl does not define, by Node's name of the architecture. */
const SYSTEM_CALLS: Readonly<Record<string, SystemCalls>> = {
  x64: { lgetxattr: 192, listxattr: 194, setxattr: 188, removexattr: 197 },
  arm64: GENERIC,
  riscv64: GENERIC,
  loong64: GENERIC,
  arm: OLD,
  ia32: OLD,
  ppc64: { lgetxattr: 213, listxattr: 215, setxattr: 209, removexattr: 218 },
  s390x: { lgetxattr: 228, listxattr: 230, setxattr: 224, removexattr: 233 },
}

const READING_PERL = String.raw`
my ($lgetxattr, $listxattr, $getflags, $opening, @names) = @ARGV;
$/ = "\0";
my $buffer = "\0" x 65536;
sub flags {
  my ($path) = @_;
  lstat $path or return '!' . ($! + 0);
  -f _ || -d _ or return '!22';
  sysopen(my $file, $path, $opening + 0) or return '!' . ($! + 0);
  my $flags = "\0" x 8;
  defined ioctl($file, $getflags + 0, $flags) or return '!' . ($! + 0);
  return '=' . unpack('I', $flags);
}
while (defined(my $path = <STDIN>)) {
  chomp $path;
  if ($path eq '') { $| = 1; $| = 0; next }
  if ($path =~ s/\A\?//) { print flags($path), "\n"; next }
  if ($path =~ s/\A\*//) {
    my $length = syscall($listxattr + 0, $path, $buffer, 65536);
    print $length < 0 ? '!' . ($! + 0) : "=$length", "\n";
    next;
  }
  my @found;
  for my $name (@names) {
    my $length = syscall($lgetxattr + 0, $path, $name, $buffer, 65536);
    push @found, $length < 0 ? '!' . ($! + 0) : '=' . unpack('H*', substr($buffer, 0, $length));
  }
  print "@found\n";
}`

const READING_PYTHON = String.raw`
import fcntl, os, stat, struct, sys
getflags, opening, names = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
def flags(path):
    if not getflags:
        return '!38'
    try:
        mode = os.lstat(path).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            return '!22'
        file = os.open(path, opening)
        try:
            return '=%d' % struct.unpack('I', fcntl.ioctl(file, getflags, bytes(8))[:4])
        finally:
            os.close(file)
    except OSError as error:
        return '!%d' % error.errno
def value(path, name):
    try:
        return '=' + os.getxattr(path, name, follow_symlinks=False).hex()
    except OSError as error:
        return '!%d' % error.errno
def listed(path):
    try:
        return '=%d' % len(os.listxattr(path))
    except OSError as error:
        return '!%d' % error.errno
rest = b''
while True:
    read = os.read(0, 65536)
    if not read:
        break
    *paths, rest = (rest + read).split(b'\0')
    for path in paths:
        if path[:1] == b'?':
            print(flags(path[1:]))
        elif path[:1] == b'*':
            print(listed(path[1:]))
        elif path:
            print(*[value(path, name) for name in names])
        else:
            sys.stdout.flush()
`

// ENODATA on removal is no error: chown(2) has removed capabilities already.
const { ENODATA } = errors.errno

const WRITING_PERL = String.raw`
my ($setxattr, $removexattr, $getflags, $setflags, $path, @changes) = @ARGV;
sub keep {
  my ($immutable) = @_;
  my $flags = "\0" x 8;
  sysopen(my $file, $path, ${constants.O_RDONLY | constants.O_NONBLOCK}) or return 1;
  defined ioctl($file, $getflags + 0, $flags) or return 1;
  $flags = pack('I x4', unpack('I', $flags) & ~16 | ($immutable eq '' ? 0 : 16));
  return !defined ioctl($file, $setflags + 0, $flags);
}
while (@changes) {
  my ($name, $value) = splice @changes, 0, 2;
  my $bytes = pack('H*', $value);
  my $failed = $name eq 'immutable' ? keep($value) : $value eq ''
    ? syscall($removexattr + 0, $path, $name)
    : syscall($setxattr + 0, $path, $name, $bytes, length($bytes), 0);
  next if !$failed || ($value eq '' && $name ne 'immutable' && $! == ${ENODATA});
  print $! + 0;
  exit 1;
}`

const WRITING_PYTHON = `
import fcntl, os, struct, sys
getflags, setflags, path, changes = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
def keep(immutable):
    if not getflags:
        raise OSError(38, '')
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        flags, = struct.unpack('I', fcntl.ioctl(file, getflags, bytes(8))[:4])
        fcntl.ioctl(file, setflags, struct.pack('I4x', flags & ~16 | (16 if immutable else 0)))
    finally:
        os.close(file)
for name, value in zip(changes[::2], changes[1::2]):
    try:
        if name == 'immutable':
            keep(value)
        elif value:
            os.setxattr(path, name, bytes.fromhex(value))
        else:
            os.removexattr(path, name)
    except OSError as error:
        if not value and name != 'immutable' and error.errno == ${ENODATA}:
            continue
        print(error.errno, end='')
        sys.exit(1)
`

/**
 * The program that reads NUL-terminated paths and answers each with one line: the attributes in order, each as `=` with
 * the bytes in hex or `!` with the error number. An empty path flushes the answers. For a path prefixed with `?` it
 * opens the file or directory and answers with its flags, `=` with the number. For a path prefixed with `*`, whose last
 * link it follows, it answers whether any attribute is listed: `=0` for none.
 */
export function findReadingProgram(candidates: readonly Interpreter[] = INTERPRETERS): Reading<SystemProgram> {
  const reading = [String(flagCalls().get), String(OPEN_FLAGS), ...ATTRIBUTES]
  return findProgram(candidates, {
    perl: ({ lgetxattr, listxattr }) => ['-e', READING_PERL, String(lgetxattr), String(listxattr), ...reading],
    python: ['-c', READING_PYTHON, ...reading],
  })
}

/**
 * The program that changes extended attributes of a path, its first argument. The other arguments are pairs of a name
 * and the value in hex, or an empty value to remove it; `immutable` is the inode flag. It stops at the first error and
 * prints its number.
 */
export function findWritingProgram(candidates: readonly Interpreter[] = INTERPRETERS): Reading<SystemProgram> {
  const { get, set } = flagCalls()
  const flags = [String(get), String(set)]
  return findProgram(candidates, {
    perl: ({ setxattr, removexattr }) => ['-e', WRITING_PERL, String(setxattr), String(removexattr), ...flags],
    python: ['-c', WRITING_PYTHON, ...flags],
  })
}

/** Zero for unknown architectures, for which the Python scripts answer ENOSYS; perl is not used there. */
function flagCalls(): FlagCalls {
  return FLAG_CALLS[process.arch] ?? { get: 0, set: 0 }
}

interface Scripts {
  readonly perl: (calls: SystemCalls) => readonly string[]
  readonly python: readonly string[]
}

function findProgram(candidates: readonly Interpreter[], scripts: Scripts): Reading<SystemProgram> {
  if (process.platform !== 'linux') return unreadableAccess('supported on Linux only')
  const calls = SYSTEM_CALLS[process.arch]
  for (const name of candidates) {
    const command = findSystemProgram(name)
    if (command === undefined) continue
    if (name !== 'perl') return known({ name, command, args: ['-I', '-S', ...scripts.python] })
    if (calls !== undefined) return known({ name, command, args: scripts.perl(calls) })
  }
  return unreadableAccess('neither perl nor python3 is installed')
}

function unreadableAccess(why: string): Reading<never> {
  return unknown('not-observable', `cannot read access control lists and capabilities: ${why}`)
}
