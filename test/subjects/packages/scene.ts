import { formatValue } from '../../../src/model/format-value.ts'
import { runPolicies } from '../../../src/engine/run.ts'
import type { ResourceResult } from '../../../src/index.ts'
import { packageType } from '../../../src/subjects/packages/index.ts'
import { NO_JOURNAL } from '../../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../../src/host/live/local-remediator.ts'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'
import { declare, policyOf } from '../../support/policy.ts'
import type { Remediator } from '../../../src/host/remediator.ts'
import type { Target } from '../../../src/host/target.ts'
import type { Patience } from '../../../src/subjects/packages/live/operate.ts'
import {
  createPackageManagers,
  openPackages,
  PACKAGES,
  type PackagePlaces,
} from '../../../src/subjects/packages/subject.ts'

/** Where the packages are, and how long a fix waits for others. */
export type Machine = PackagePlaces & Patience

/** This machine with package databases elsewhere. */
export function packageMachine(places: PackagePlaces): Target {
  const target = createLocalTarget()
  const reader: ReturnType<typeof openPackages> & { forget?: () => void } = openPackages(places)
  return {
    ...target,
    open: (subject) => (Object.is(subject, PACKAGES) ? (reader as never) : target.open(subject)),
    forget(touched) {
      target.forget(touched)
      reader.forget?.()
    },
  }
}

export function packageHands({ apt = {}, dnf = {}, ...patience }: Machine): Remediator {
  const remediator = createLocalRemediator(NO_JOURNAL)
  const writer = createPackageManagers({ apt, dnf }, patience)
  return {
    ...remediator,
    open: (subject) => (Object.is(subject, PACKAGES) ? (writer as never) : remediator.open(subject)),
  }
}

/** What a policy wants of packages: their names with what `ensure` says. */
export type Wanted = Readonly<Record<string, string | Readonly<Record<string, unknown>>>>

export function audit(machine: Machine, wanted: Wanted, provider?: string): Promise<readonly ResourceResult[]> {
  return run(machine, wanted, { provider })
}

/** Repairs packages, all in one run. */
export function fix(machine: Machine, wanted: Wanted, provider?: string): Promise<readonly ResourceResult[]> {
  return run(machine, wanted, { provider, remediator: packageHands(machine) })
}

/** The result in short: verdict, then what is wanted and found where that differs. */
export function brief({ verdict, drift }: ResourceResult): string {
  return [verdict, ...drift.map(({ desired, observed }) => `${formatValue(observed)} -> ${formatValue(desired)}`)].join(
    ' ',
  )
}

interface How {
  readonly provider: string | undefined
  readonly remediator?: Remediator
}

async function run(
  machine: Machine,
  wanted: Wanted,
  { provider, remediator }: How,
): Promise<readonly ResourceResult[]> {
  const resources = Object.entries(wanted).map(([name, ensure]) =>
    declare(`package#${name}`, { properties: { name, ensure }, ...(provider === undefined ? {} : { provider }) }),
  )
  const result = await runPolicies([policyOf(resources)], {
    target: packageMachine(machine),
    types: [packageType],
    allowRemovals: true,
    ...(remediator === undefined ? {} : { remediator }),
  })
  return result.policies.flatMap((policy) => policy.resources)
}
