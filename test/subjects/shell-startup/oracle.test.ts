import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordFiles } from '../../../src/settings/files.ts'
import { assignmentsOf } from '../../../src/subjects/shell-startup/index.ts'
import { readInherited } from '../../../src/subjects/shell-startup/inherited.ts'
import { outcomesOf, startsOf } from '../../../src/subjects/shell-startup/starts.ts'
import { machineOf } from '../../support/setting-machine.ts'
import { cannotAsk, named, truths } from '../../support/surface-oracle.ts'
import { samples } from './machines.ts'
import { hostile } from '../../support/hostile-files.ts'
import { expectAgreement } from '../../support/proof.ts'
import { PATIENCE, sample } from '../../support/soak.ts'

/** Each start as it is asked for; what it prints are the values in the order of KEYS. */
const STARTS: readonly (readonly [name: string, who: 'alice' | 'root', command: string])[] = [
  ['a login shell of a user', 'alice', 'bash --login -i -c'],
  ['a non-interactive login shell of a user', 'alice', 'bash --login -c'],
  ['a login shell (sh) of a user', 'alice', '/bin/sh -l -i -c'],
  ['an interactive non-login shell of a user', 'alice', 'bash -i -c'],
  ['a login shell of root', 'root', 'bash --login -i -c'],
  ['a non-interactive login shell of root', 'root', 'bash --login -c'],
  ['a login shell (sh) of root', 'root', '/bin/sh -l -i -c'],
  ['an interactive non-login shell of root', 'root', 'bash -i -c'],
]

const KEYS = ['umask', 'TMOUT', 'TMOUT.readonly', 'TMOUT.exported', 'PATH'] as const

const PRINT = String.raw`P=$PATH; PATH=/usr/bin; echo "=$(command umask)"; echo "=$TMOUT"; readonly -p | grep -q "TMOUT=" && echo =yes || echo =no; export -p | grep -q "TMOUT=" && echo =yes || echo =no; echo "=$P"`

const START_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** How many of the starts each machine is asked about: all of them in turn. */
const ASKED = 2

function startsFor(index: number): readonly (typeof STARTS)[number][] {
  const from = index * ASKED + (index >> 2)
  return STARTS.filter((_each, at) => (at - from + STARTS.length * (index + 1)) % STARTS.length < ASKED)
}

/** Runs in a namespace of mounts, with the directories of the machine in the places of the real ones. */
function commandFor([, who, command]: (typeof STARTS)[number]): string {
  const as = who === 'root' ? '' : 'setpriv --reuid 1000 --regid 1000 --clear-groups '
  const home = who === 'root' ? '/root' : '/home/alice'
  // A spoilt loop may have no end.
  return `timeout --foreground --signal KILL 5 ${as}env -i HOME=${home} USER=${who} LOGNAME=${who} SHELL=/bin/bash PATH=${START_PATH} ${command} "$print" > $here/shown || :
echo ---; cat $here/shown`
}

const EACH = `(mkdir -p $count/root; chmod 755 . $count; chmod 700 $count/root; here=$PWD/$count
mount --bind $here/root /root; mount --bind $here/etc /etc
. $here/ask > $here/truth 2> /dev/null < /dev/null
umount /etc /root)`

const needs = cannotAsk(['unshare', 'bash', 'dash', 'setpriv'], 'root')

interface Said {
  readonly value: string
  readonly isUnclear: boolean
  readonly isDoubted: boolean
}

function ours(files: Readonly<Record<string, string>>, names: readonly string[]): ReadonlyMap<string, readonly Said[]> {
  const machine = recordFiles(
    machineOf({ ...files, '/bin/bash': '/etc/bash.bashrc', '/bin/sh': '', '/usr/bin/id': '' }),
  ).files
  const starts = startsOf(machine)
  if (starts.kind === 'unknown') throw new Error(starts.detail)
  const inherited = readInherited(machine)
  if (inherited.kind === 'unknown') throw new Error(inherited.detail)
  const found = new Map<string, Said[]>()
  for (const start of starts.value.filter(({ name }) => names.includes(name))) {
    const states = outcomesOf(start, machine, inherited.value)
    if (states.kind === 'unknown') throw new Error(states.detail)
    for (const { scope = '', key, value, unclear, doubt } of states.value.flatMap((state) =>
      assignmentsOf(start, state),
    )) {
      const at = `${scope}: ${key}`
      found.set(at, [
        ...(found.get(at) ?? []),
        { value, isUnclear: unclear !== undefined, isDoubted: doubt !== undefined },
      ])
    }
  }
  return found
}

const hostileSamples = samples.chain(({ files, isPlain }) =>
  hostile(fc.constant(files), /\.sh$|\/root|more$/).map((spoilt) => ({
    files: spoilt,
    isPlain: isPlain && JSON.stringify(spoilt) === JSON.stringify(files),
  })),
)

test.skipIf(needs)(named('the derived values equal the values of real shells', needs), { timeout: PATIENCE }, () => {
  const all = sample(hostileSamples, { usual: 500, soak: 10_000 }, 16)
  const said = truths(
    all.map(({ files }, index) => ({ ...files, '/ask': startsFor(index).map(commandFor).join('\n') })),
    { before: `umask 022; print='${PRINT}'`, each: EACH },
  )
  const compared = all.flatMap(({ files, isPlain }, index) => {
    const names = startsFor(index).map(([name]) => name)
    const answers = ours(files, names)
    const shown = (said[index] ?? '').split('---\n').slice(1)
    return names.flatMap((name, at) =>
      valuesIn(shown[at] ?? '').flatMap((truth, column) => {
        const key = KEYS[column] ?? ''
        const answer = answers.get(`${name}: ${key}`)
        return answer === undefined ? [] : [{ name, key, truth, answer, ...judged(answer, truth, isPlain), files }]
      }),
    )
  })
  expectAgreement(
    { reader: 'startup files of shells', program: 'bash', texts: all.length },
    compared.filter(({ isRight }) => !isRight),
  )
  expect(compared.filter(({ isSure }) => isSure).length).toBeGreaterThan(compared.length * 0.5)
})

/** What a shell printed of each key; nothing of one that ended. */
function valuesIn(shown: string): readonly string[] {
  const values = shown.split('\n').flatMap((line) => (line.startsWith('=') ? [line.slice(1)] : []))
  return values.length === KEYS.length ? values : []
}

/** The truth is among what is said, and where every line is a plain one only who logs in makes a difference. */
function judged(answer: readonly Said[], truth: string, isPlain: boolean): { isRight: boolean; isSure: boolean } {
  const isOpen = answer.some(({ isUnclear, isDoubted }) => isUnclear || isDoubted)
  const isSure = !isOpen && answer.every(({ value }) => value === truth)
  // A doubt says that another value is possible.
  const isIn = isOpen || answer.some(({ value }) => value.split('\n', 1)[0] === truth)
  return { isRight: isIn && !(isPlain && isOpen), isSure }
}
