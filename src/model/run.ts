import type { BaselineClass, BaselineComparison } from './baseline.ts'
import type { Drift, UnknownProperty } from './drift.ts'
import type { Effect } from './effect.ts'
import type { ErrorReason } from './observation.ts'
import type { Position, Problem } from './problem.ts'
import type { Change, ControlVerdict, Severity, Verdict } from './verdict.ts'
import type { WaiverRecord, WaiverUse } from './waiver.ts'

/**
 * The outcome of a scan, `driftgate.report/v1`: the contract all report formats and users' pipelines stand on. Fields
 * are only ever added. The JSON Schema is `schemas/report.schema.json`. Times are ISO 8601 in UTC, durations are in
 * milliseconds.
 */
export interface Run {
  readonly schema: 'driftgate.report/v1'
  readonly tool: { readonly name: 'driftgate'; readonly version: string }
  readonly run: {
    readonly id: string
    readonly mode: RunMode
    readonly startedAt: string
    readonly finishedAt: string
    readonly durationMs: number
    readonly interrupted: boolean
    /** The id of the fix order of a fleet that it carried out. */
    readonly order?: string
  }
  readonly target: RunTarget
  readonly policies: readonly PolicyResult[]
  readonly summary: Summary
  readonly exit: { readonly code: number; readonly reasons: readonly string[] }
  /** Why nothing was evaluated, or warnings about the policies. */
  readonly problems?: readonly Problem[]
  /** What is worth saying once. */
  readonly notes?: readonly string[]
  /** The waivers the run was given, whether they were needed or not. */
  readonly waivers?: readonly WaiverRecord[]
  /** What became of the drift of the earlier run that the gate compares with. */
  readonly baseline?: BaselineComparison
  /** Each target of a scan of several, in the order in which they were named, with any result; absent for one. */
  readonly targets?: readonly ScannedTarget[]
}

/** What is known of a run before its first result. */
export interface RunStart extends Pick<Run, 'schema' | 'tool' | 'target'> {
  readonly run: Pick<Run['run'], 'id' | 'mode' | 'startedAt'>
}

/** The ways to name what is looked at: `root:/mnt/disk` names a `root`. */
export type TargetKind = 'local' | 'root' | 'image' | 'ssh' | 'container' | 'pod' | 'machine'

/**
 * What was scanned. `root` is a system that did not run, below a directory, `image` one in an image; `merged` stands for the targets of several runs
 * put together; its policies say each their own.
 */
export interface RunTarget {
  readonly kind: TargetKind | 'merged'
  /** The name that the operator uses for it, where it is one of several; other hosts may use its own name, too. */
  readonly name?: string
  readonly hostname: string
  readonly os: { readonly id: string; readonly version: string }
  /** Which machine it was, of its machine id, hashed: machines may have one name. Absent if missing. */
  readonly machine?: string
  /** Which start of it, of its boot id, hashed. */
  readonly boot?: string
  /** The directory of a `root`, the file or directory of an `image`. */
  readonly path?: string
  /** Of an `image`. */
  readonly image?: ImageIdentity
}

/** Which image it was, where a file may hold several. */
export interface ImageIdentity {
  /** The first of the names that it has there. */
  readonly name?: string
  /** Of its manifest in an OCI layout, of its configuration in what Docker saves. */
  readonly digest?: string
  /** In the words of its configuration: `linux/amd64`. */
  readonly platform: string
}

/** What became of one target of several. */
export interface ScannedTarget {
  /** Unlike that of any other target of the scan. */
  readonly name: string
  /** How it was named: `ssh:web01`, `root:/mnt/disk`. */
  readonly spec: string
  readonly kind: TargetKind
  readonly labels: Readonly<Record<string, string>>
  /** Why it was not scanned; absent where it was. */
  readonly reason?: ErrorReason
  /** Of its own run. */
  readonly runId: string
  readonly summary: Summary
  readonly exit: Run['exit']
}

/** `audit` only observes; `fix` also applies and observes again. */
export type RunMode = 'audit' | 'fix'

/** How many resources got each verdict; what only rolls up others is not counted. */
export type Summary = { readonly total: number } & Readonly<Record<Verdict, number>>

/** The outcome of one policy: what was selected of it, in the order it is written. */
export interface PolicyResult {
  readonly id: string
  readonly title?: string
  readonly version?: string
  readonly source: string
  readonly sha256: string
  /** The name of the target it was evaluated on, where a scan has several. */
  readonly target?: string
  /** The run it comes from, in a report merged of several; absent means the run of the report itself. */
  readonly origin?: RunOrigin
  readonly resources: readonly ResourceResult[]
  readonly controls: readonly ControlResult[]
  /**
   * How many of its requirements, controls and resources that support none, were not looked at, because a selection left
   * them out or an interruption came before. Absent if missing.
   */
  readonly skipped?: number
  /**
   * The options of the scan that decided what is wanted and accepted, for a command that does it again: `--data=site.yaml`.
   * What may be secret is left out, `--set=`. Absent without any.
   */
  readonly inputs?: readonly string[]
}

/** The run that a policy of a merged report comes from. */
export interface RunOrigin {
  readonly runId: string
  readonly mode: RunMode
  readonly startedAt: string
  readonly target: RunTarget
}

/** A drift as the report has it. */
export interface ReportedDrift extends Drift {
  /**
   * The same for the same finding in every run: policy, resource, property and kind of difference, but no value, line or
   * time. Lower-case hex.
   */
  readonly fingerprint?: string
  /** The id of the waiver in force that accepts it. */
  readonly waiver?: string
  /** How it compares with the baseline; absent where none was given, or a waiver accepts it. */
  readonly baseline?: BaselineClass
}

/** The outcome of one control, from those of its resources that were selected. */
export interface ControlResult {
  readonly id: string
  /** The apply resources through which its policy was reached; absent for those of the policy itself. */
  readonly path?: readonly string[]
  readonly title?: string
  readonly severity: Severity
  readonly description?: string
  readonly remediation?: string
  readonly references?: Readonly<Record<string, readonly string[]>>
  readonly tags?: readonly string[]
  /** The worst of its resources that were selected; of one that a person has to look at, `not-evaluated` at best. */
  readonly verdict: ControlVerdict
  readonly resources: readonly string[]
}

/** What a health check says, in the words of Nagios plugins. */
export type HealthStatus = 'OK' | 'WARNING' | 'CRITICAL' | 'UNKNOWN'

/** One try of a health check. */
export interface HealthAttempt {
  readonly status: HealthStatus
  /** Absent where the command was not started or was ended by a signal. */
  readonly exitCode?: number
  /** What it said, bounded. */
  readonly output: string
  /** Why it could not tell. */
  readonly trouble?: ErrorReason
  readonly durationMs: number
}

/** The outcome of one health check: that of its last try. */
export interface HealthResult {
  readonly name: string
  readonly status: HealthStatus
  readonly attempts: readonly HealthAttempt[]
}

/**
 * The outcome of one resource, identified by `path` and `id`. That of an apply resource rolls up those of its child
 * manifest, which follow it. Values and sentences hold no secret; they are not escaped for any channel.
 */
export interface ResourceResult {
  readonly id: string
  /** The ids of the apply resources through which it was reached, outermost first; absent in the policy itself. */
  readonly path?: readonly string[]
  readonly type: string
  readonly name: string
  readonly alias?: string
  readonly provider?: string
  readonly verdict: Verdict
  /** What a fix would do; only for a drifted resource, or one whose fix failed. */
  readonly change?: Change
  /** Why `change` is `may` or `cannot`. */
  readonly changeReason?: string
  readonly ensure?: { readonly desired: string; readonly observed: string }
  /** What differed when it was first observed, in the order of the type's state checks. */
  readonly drift: readonly ReportedDrift[]
  /** What still differs after a fix. */
  readonly remaining?: readonly Drift[]
  readonly unknown?: readonly UnknownProperty[]
  /** What would be done, or after a fix what was done, in the sentences of CCM. */
  readonly actions: readonly string[]
  /** The same as it is, where the type says so. */
  readonly effect?: readonly Effect[]
  /** What that may cut off, as words about it: `logins over SSH depend on it`. */
  readonly risk?: string
  /** Why that, or a part of it, cannot be undone. */
  readonly irreversible?: string
  /** What a command of the fix wrote: of one that failed, or where the resource asks for it. At most about 64 KiB. */
  readonly output?: string
  /** One line that says why the verdict is what it is; of a compliant resource only what its type has to say, if it has. */
  readonly message?: string
  /** Why an `error` could not be decided. */
  readonly reason?: ErrorReason
  readonly errors?: readonly string[]
  /** The requirements that made it `blocked`. */
  readonly blockedBy?: readonly string[]
  /** Its health checks, in the order they were run. */
  readonly health?: readonly HealthResult[]
  /** The waivers that concern its drift, those that no longer accept it included. */
  readonly waivers?: readonly WaiverUse[]
  /** What is worth knowing although it does not decide. */
  readonly warnings?: readonly string[]
  readonly severity: Severity
  readonly controls: readonly string[]
  readonly tags?: readonly string[]
  readonly source: Position
  readonly durationMs: number
}
