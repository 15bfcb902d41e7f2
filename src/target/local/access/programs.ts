import { known, type Reading, unknown } from '../../../core/observation.ts'
import { findSystemProgram } from '../system-programs.ts'

// Node has no calls for extended attributes. These programs have, without a package that most machines lack: perl is
// essential on Debian, and what installs packages on Red Hat is written in Python.

/** How a program of the system is started with a script of ours; its own arguments follow. */
export interface SystemProgram {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
}

/** What may run a script of ours, the fastest first; the last is the Python of Red Hat's own programs. */
const INTERPRETERS = ['perl', 'python3', 'platform-python'] as const

/** One of them. */
export type Interpreter = (typeof INTERPRETERS)[number]

/** What the extended attributes are called, in the order in which a reading program answers. */
const ATTRIBUTES = ['system.posix_acl_access', 'system.posix_acl_default', 'security.capability'] as const

/** One of them. */
export type AttributeName = (typeof ATTRIBUTES)[number]

interface SystemCalls {
  readonly lgetxattr: number
  readonly setxattr: number
  readonly removexattr: number
}

const GENERIC: SystemCalls = { lgetxattr: 9, setxattr: 5, removexattr: 14 }
const OLD: SystemCalls = { lgetxattr: 230, setxattr: 226, removexattr: 235 }

/** What perl has no names for, by Node's name of the architecture. */
const SYSTEM_CALLS: Readonly<Record<string, SystemCalls>> = {
  x64: { lgetxattr: 192, setxattr: 188, removexattr: 197 },
  arm64: GENERIC,
  riscv64: GENERIC,
  loong64: GENERIC,
  arm: OLD,
  ia32: OLD,
  ppc64: { lgetxattr: 213, setxattr: 209, removexattr: 218 },
  s390x: { lgetxattr: 228, setxattr: 224, removexattr: 233 },
}

const READING_PERL = String.raw`
my ($lgetxattr, @names) = @ARGV;
$/ = "\0";
my $buffer = "\0" x 65536;
while (defined(my $path = <STDIN>)) {
  chomp $path;
  if ($path eq '') { $| = 1; $| = 0; next }
  my @found;
  for my $name (@names) {
    my $length = syscall($lgetxattr + 0, $path, $name, $buffer, 65536);
    push @found, $length < 0 ? '!' . ($! + 0) : '=' . unpack('H*', substr($buffer, 0, $length));
  }
  print "@found\n";
}`

const READING_PYTHON = String.raw`
import os, sys
def value(path, name):
    try:
        return '=' + os.getxattr(path, name, follow_symlinks=False).hex()
    except OSError as error:
        return '!%d' % error.errno
rest = b''
while True:
    read = os.read(0, 65536)
    if not read:
        break
    *paths, rest = (rest + read).split(b'\0')
    for path in paths:
        if path:
            print(*[value(path, name) for name in sys.argv[1:]])
        else:
            sys.stdout.flush()
`

const WRITING_PERL = String.raw`
my ($setxattr, $removexattr, $path, @changes) = @ARGV;
while (@changes) {
  my ($name, $value) = splice @changes, 0, 2;
  my $bytes = pack('H*', $value);
  my $failed = $value eq ''
    ? syscall($removexattr + 0, $path, $name)
    : syscall($setxattr + 0, $path, $name, $bytes, length($bytes), 0);
  next unless $failed;
  print $! + 0;
  exit 1;
}`

const WRITING_PYTHON = `
import os, sys
path, changes = sys.argv[1], sys.argv[2:]
for name, value in zip(changes[::2], changes[1::2]):
    try:
        if value:
            os.setxattr(path, name, bytes.fromhex(value))
        else:
            os.removexattr(path, name)
    except OSError as error:
        print(error.errno, end='')
        sys.exit(1)
`

/**
 * The program that reads paths from its input, each with a NUL at its end, and answers a line for each: the attributes in turn,
 * `=` with the bytes in hex or `!` with the number of the error. An empty path has it write what it has found. It opens nothing.
 */
export function findReadingProgram(candidates: readonly Interpreter[] = INTERPRETERS): Reading<SystemProgram> {
  return findProgram(candidates, {
    perl: ({ lgetxattr }) => ['-e', READING_PERL, String(lgetxattr), ...ATTRIBUTES],
    python: ['-c', READING_PYTHON, ...ATTRIBUTES],
  })
}

/**
 * The program that changes extended attributes of what is at a path, its first argument. The others are pairs: a name, and
 * the value in hex or nothing to take it away. It ends with the first error, whose number it writes.
 */
export function findWritingProgram(candidates: readonly Interpreter[] = INTERPRETERS): Reading<SystemProgram> {
  return findProgram(candidates, {
    perl: ({ setxattr, removexattr }) => ['-e', WRITING_PERL, String(setxattr), String(removexattr)],
    python: ['-c', WRITING_PYTHON],
  })
}

interface Scripts {
  readonly perl: (calls: SystemCalls) => readonly string[]
  readonly python: readonly string[]
}

function findProgram(candidates: readonly Interpreter[], scripts: Scripts): Reading<SystemProgram> {
  if (process.platform !== 'linux') return unreadable('they are known on Linux alone')
  const calls = SYSTEM_CALLS[process.arch]
  for (const name of candidates) {
    const command = findSystemProgram(name)
    if (command === undefined) continue
    if (name !== 'perl') return known({ name, command, args: ['-I', '-S', ...scripts.python] })
    if (calls !== undefined) return known({ name, command, args: scripts.perl(calls) })
  }
  return unreadable('there is neither perl nor python3')
}

function unreadable(why: string): Reading<never> {
  return unknown('not-observable', `access control lists and capabilities cannot be read: ${why}`)
}
