import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OWN_STATE } from './mount.ts'
import { temporaryDirectory } from './temporary.ts'

/** Runs a script where /etc is a copy, /run is empty but for what sshd wants, and other processes see none of it. */
export function inCopy(script: readonly string[]): string {
  const over = join(temporaryDirectory(), 'over')
  mkdirSync(over)
  const setup = [
    OWN_STATE,
    `mount -t tmpfs none ${over} && mkdir ${over}/up ${over}/work`,
    `mount -t overlay none -o lowerdir=/etc,upperdir=${over}/up,workdir=${over}/work /etc`,
    'mount -t tmpfs none /run && mkdir -p /run/sshd',
    'ls /etc/ssh/ssh_host_*_key >/dev/null 2>&1 || ssh-keygen -A >/dev/null',
  ]
  return execFileSync('unshare', ['--mount', 'sh', '-c', [...setup, ...script].join('\n')], { encoding: 'utf8' })
}

/** A program that answers instead of another one, owned by root. */
export function standIn(text: string): string {
  const path = join(temporaryDirectory(), 'program')
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  return path
}

/** Calls that leave something behind: files that are written or made, sockets that listen, and what loggers are sent. */
export function traces(command: string): readonly string[] {
  const log = join(temporaryDirectory(), 'trace')
  const calls =
    'openat,open,creat,mkdir,mkdirat,unlink,unlinkat,rename,renameat,renameat2,chmod,fchmodat,bind,connect,sendto'
  inCopy([`strace -f -qq -e trace=${calls} -o ${log} sh -c '${command}' >/dev/null 2>&1 </dev/null || true`])
  return readFileSync(log, 'utf8').split('\n').filter(isTrace)
}

function isTrace(line: string): boolean {
  if (/\bopen(?:at)?\(/.test(line)) {
    const isHarmless = /"\/dev\/(?:null|tty)"/.test(line) || / = -1 E(?:NOENT|NXIO)/.test(line)
    return !isHarmless && /O_(?:WRONLY|RDWR|CREAT|TRUNC)/.test(line)
  }
  if (/\bconnect\(/.test(line)) return line.includes('/dev/log') || line.includes('dbus')
  if (/\bsendto\(/.test(line)) return /AUDIT_(?:USER|SET|ADD)/.test(line)
  return (
    /\b(?:creat|mkdir|mkdirat|unlink|unlinkat|rename|renameat|renameat2|chmod|fchmodat|bind)\(/.test(line) &&
    !/\bbind\(\d+, \{sa_family=AF_NETLINK/.test(line)
  )
}
