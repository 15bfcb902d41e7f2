import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { PROGRAM_SCRIPT, type Running, start, startDriftgate } from './driftgate.ts'

/** How a program that reaches into a container is called; none is installed here. */
export interface Client {
  readonly target: string
  readonly program: string
  /** What stands before the command that it runs there. */
  readonly words: readonly string[]
  /** What it makes of the words of that command, as a script of sed. */
  readonly expansion?: string
}

/** A place that such a program leads to: this machine with a /srv, a /var/lib and a home of its own. */
export interface StandIn {
  readonly srv: string
  /** Runs driftgate here with this place as its target. */
  readonly scan: (cwd: string, ...args: readonly string[]) => Running
  /** Runs driftgate there. */
  readonly scanThere: (cwd: string, ...args: readonly string[]) => Running
  /** The words that the program was last called with. */
  readonly calledWith: () => readonly string[]
}

/** Makes a stand-in for a client that leads to a place of its own, or that says this and ends so. */
export function standInFor(
  { target, program, words, expansion = '' }: Client,
  answer?: readonly [string, number],
): StandIn {
  const directory = mkdtempSync(join(tmpdir(), 'driftgate-stand-in-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  const at = (name: string): string => join(directory, name)
  for (const name of ['bin', 'srv', 'lib', 'home']) mkdirSync(at(name))
  const write = (name: string, ...lines: readonly string[]): void =>
    writeFileSync(at(name), ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 })
  writeFileSync(at('driftgate'), PROGRAM_SCRIPT, { mode: 0o755 })
  write(
    'there',
    'PATH=/usr/sbin:/usr/bin:/sbin:/bin',
    `export PATH HOME=${at('home')}`,
    `exec unshare -m sh -c 'mount --bind ${at('srv')} /srv && mount --bind ${at('lib')} /var/lib && exec "$@"' sh "$@"`,
  )
  const reach = [
    'PATH=/usr/bin:/bin',
    `printf '%s\\n' "$@" > ${at('words')}`,
    `shift ${words.length}`,
    `for word; do shift; set -- "$@" "$(printf %s "$word" | sed '${expansion}')"; done`,
    `exec ${at('there')} "$@"`,
  ]
  write(
    `bin/${program}`,
    ...(answer === undefined ? reach : ["/bin/cat >&2 <<'END'", answer[0], 'END', `exit ${answer[1]}`]),
  )
  const carried = ['scan', '--target', target, '--remote-binary', at('driftgate')]
  return {
    srv: at('srv'),
    scan: (cwd, ...args) => startDriftgate([...carried, ...args], { cwd, env: { PATH: at('bin') } }),
    scanThere: (cwd, ...args) => start(at('there'), [at('driftgate'), 'scan', ...args], { cwd }),
    calledWith: () => readFileSync(at('words'), 'utf8').split('\n'),
  }
}
