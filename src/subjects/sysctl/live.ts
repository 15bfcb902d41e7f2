import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { textFromBytes } from '../../host/byte-text.ts'
import type { ApplyOutcome } from '../../model/decision.ts'
import { known, type Observation, present, type Reading, type Unknown, unknown } from '../../model/observation.ts'
import type { KernelParameterControl, KernelParameters } from './parameters.ts'
import type { StoredSysctl } from './sysctl-conf.ts'
import { readFileHead } from '../../host/live/file-reader.ts'
import { readFollowedStat } from '../../host/live/file-stat.ts'
import { listNames } from '../../host/live/list-directory.ts'
import { filesBelow } from '../../host/live/machine-files.ts'
import { readingOf } from '../../host/live/machine-reading.ts'
import { readStoredSysctl } from './stored.ts'
import { provesAbsence, unreadable, writeFailure } from '../../host/live/system-error.ts'

/** Of a configuration file or a parameter; what is longer is not known. */
const MAX_BYTES = 1024 * 1024

/** Which every kernel has, so that one without it hides /proc/sys. */
const PROOF = 'proc/sys/kernel/ostype'

/** The parameters of the kernel and the files that set them, below a root that only tests choose. */
export function openKernelParameters(root = '/'): KernelParameters {
  let stored: Reading<StoredSysctl> | undefined
  return {
    read: (path) => readParameter(root, path),
    interfaces(family) {
      const names = namesIn(join(root, 'proc/sys/net', family, 'conf'))
      if (names.kind === 'unknown') return names
      if (names.value === undefined) return unknown('not-observable', `/proc/sys/net/${family}/conf does not exist`)
      return known(names.value.filter((name) => name !== 'all' && name !== 'default').toSorted())
    },
    stored: () => (stored ??= readStoredSysctl(readingOf(filesBelow(root.replace(/\/$/, ''))))),
    forget() {
      stored = undefined
    },
  }
}

/** What a fix may do to them. */
export function createKernelParameterControl(root = '/'): KernelParameterControl {
  return {
    async set(path, value) {
      const others = (RESET_BY[path] ?? []).map((name) => [name, readParameter(root, name)] as const)
      const outcome = writeParameter(join(root, 'proc/sys', path), value)
      if (outcome.kind === 'failed') return outcome
      for (const [name, before] of others) {
        const now = readParameter(root, name)
        if (before.kind !== 'present' || now.kind !== 'present' || before.state === now.state) continue
        const kept = writeParameter(join(root, 'proc/sys', name), before.state)
        if (kept.kind === 'failed') return kept
      }
      return outcome
    },
  }
}

const REDIRECTS = ['net/ipv4/conf/all/accept_redirects'] as const

/** What the kernel sets anew when another parameter changes. @see Linux, Documentation/networking/ip-sysctl.rst, ip_forward */
const RESET_BY: Readonly<Record<string, readonly string[]>> = {
  'net/ipv4/ip_forward': REDIRECTS,
  'net/ipv4/conf/all/forwarding': REDIRECTS,
}

function writeParameter(path: string, value: string): ApplyOutcome {
  try {
    // Never created: what is not there is no parameter.
    const file = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_TRUNC)
    try {
      writeSync(file, `${value}\n`)
    } finally {
      closeSync(file)
    }
    return { kind: 'done' }
  } catch (error) {
    return writeFailure(error, `could not write ${value} to ${path}`)
  }
}

function readParameter(root: string, path: string): Observation<string> {
  const file = join(root, 'proc/sys', path)
  const seen = readFollowedStat(file)
  if (seen.kind === 'unknown') return seen
  if (seen.kind === 'absent') {
    const proof = readFollowedStat(join(root, PROOF))
    return proof.kind === 'present' ? seen : unknown('not-observable', '/proc/sys is not visible here')
  }
  const text = textOf(file)
  return text.kind === 'unknown' ? text : present(text.value.replace(/\n$/, ''))
}

function textOf(path: string): Reading<string> {
  const head = readFileHead(path, MAX_BYTES)
  if (head.kind === 'unknown') return head
  if (head.value.length === MAX_BYTES) return unknown('invalid', `${path}: value too long`)
  return known(textFromBytes(Buffer.from(head.value)))
}

/** The names in a directory; undefined where it is proved absent. */
function namesIn(path: string): Reading<readonly string[] | undefined> | Unknown {
  try {
    return known(listNames(path))
  } catch (error) {
    return provesAbsence(error) ? known(undefined) : unreadable(error, path)
  }
}
