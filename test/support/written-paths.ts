import { readFileSync } from 'node:fs'
import { posix } from 'node:path'

/** Everything that can change a file system by a path or a descriptor. Opening is judged by its flags. */
const CHANGING =
  'chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat rename renameat renameat2 unlink unlinkat mkdir mkdirat ' +
  'rmdir link linkat symlink symlinkat mknod mknodat truncate ftruncate utime utimes utimensat futimesat setxattr ' +
  'lsetxattr fsetxattr removexattr lremovexattr fremovexattr write pwrite64 writev pwritev copy_file_range fallocate'

/** What tells which descriptor is what. */
const TELLING = 'open openat openat2 creat dup dup2 dup3 fcntl'

const WRITE_FLAGS = /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE|^creat/

/** The options of strace that write down what `writtenPaths` reads. `-y` writes the path beside every descriptor. */
export function writesTrace(out: string): readonly string[] {
  const calls = `${CHANGING} ${TELLING}`.split(' ').map((name) => `?${name}`)
  return ['-f', '-q', '-y', '-s', '4096', '-o', out, '-e', `trace=${calls.join(',')}`]
}

/** A call that changes or may change something, and a path that it names or whose descriptor it has, as the kernel knows it. */
export interface Written {
  readonly call: string
  readonly path: string
}

/** Every path to which a traced program wrote, or tried to. Descriptors in paths are what they were at that moment. */
export function writtenPaths(trace: string): readonly Written[] {
  const open = new Map<string, string>()
  const written: Written[] = []
  for (const { pid, line } of wholeLines(readFileSync(trace, 'latin1'))) {
    const call = line.slice(0, line.indexOf('('))
    const [, descriptor, path] = /\) += (\d+)<([^>]*)>/.exec(line) ?? []
    if (CHANGING.split(' ').includes(call) || WRITE_FLAGS.test(line)) {
      for (const each of pathsOf(line, (number) => open.get(`${pid} ${number}`) ?? open.get(number))) {
        written.push({ call, path: each })
      }
      if (path !== undefined) written.push({ call, path })
    }
    if (descriptor === undefined || path === undefined) continue
    // A child that gives a descriptor another number has its own table from then on.
    if (/^dup[23]/.test(call)) open.set(`${pid} ${descriptor}`, path)
    open.set(descriptor, path)
  }
  return written
}

interface Line {
  readonly pid: string
  readonly line: string
}

/** strace breaks a call in two where another one comes between. */
function wholeLines(text: string): readonly Line[] {
  const begun = new Map<string, string>()
  return text.split('\n').flatMap((raw) => {
    const [, pid = '', rest = ''] = /^(\d+) +(.*)$/.exec(raw) ?? []
    const unfinished = / <unfinished \.\.\.>$/
    if (unfinished.test(rest)) begun.set(pid, rest.replace(unfinished, ''))
    if (unfinished.test(rest)) return []
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)
    const line = resumed === null ? rest : `${begun.get(pid) ?? ''}${resumed[1] ?? ''}`
    return /^\w+\(/.test(line) ? [{ pid, line }] : []
  })
}

/** Texts that hold the content of what is written are no paths. */
const WITH_CONTENT = /^(?:write|pwrite64|writev|pwritev|copy_file_range|fallocate|f\w+xattr|ftruncate|fchmod|fchown)\(/

function pathsOf(line: string, descriptor: (number: string) => string | undefined): readonly string[] {
  const [, args = ''] = /^\w+\((.*)\) += /.exec(line) ?? []
  const [, held] = /^\d+<([^>]*)>/.exec(args) ?? []
  if (WITH_CONTENT.test(line)) return held === undefined ? [] : [held]
  // Where a symbolic link leads is its content.
  const named = [...args.matchAll(/(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"/g)]
  const own = /^symlink(?:at)?\(/.test(line) ? named.slice(1) : /^\w*xattr\(/.test(line) ? named.slice(0, 1) : named
  return own.map(([, base = '/', name = '']) => {
    const [, number, rest = ''] = /^\/proc\/self\/fd\/(\d+)(\/.*)?$/.exec(name) ?? []
    if (number === undefined) return posix.resolve(base, name)
    return posix.normalize(`${descriptor(number) ?? `/unknown descriptor ${number}`}${rest}`)
  })
}
