import type { BaselineClass, BaselineComparison } from './baseline.ts'
import type { Drift, UnknownProperty } from './drift.ts'
import type { Effect } from './effect.ts'
import type { ErrorReason } from './observation.ts'
import type { Position, Problem } from './problem.ts'
import type { Change, ControlVerdict, Severity, Verdict } from './verdict.ts'
import type { WaiverRecord, WaiverUse } from './waiver.ts'

/**
 * The result of a scan, `driftgate.report/v1`: the contract of all report formats and users' pipelines. Fields are only
 * ever added. JSON Schema: `schemas/report.schema.json`. Times are ISO 8601 in UTC, durations are in milliseconds.
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
    /** Id of the fleet's fix order that this run applied. */
    readonly order?: string
  }
  readonly target: RunTarget
  readonly policies: readonly PolicyResult[]
  readonly summary: Summary
  readonly exit: { readonly code: number; readonly reasons: readonly string[] }
  /** Why nothing was evaluated, or warnings about the policies. */
  readonly problems?: readonly Problem[]
  /** General notes. */
  readonly notes?: readonly string[]
  /** All waivers of the run, whether needed or not. */
  readonly waivers?: readonly WaiverRecord[]
  /** The comparison with the reference report of the gate. */
  readonly baseline?: BaselineComparison
  /** The targets of a scan of several, in the order of the command line, with any outcome; undefined for a single target. */
  readonly targets?: readonly ScannedTarget[]
}

/** The part of a run that is known before its first result. */
export interface RunStart extends Pick<Run, 'schema' | 'tool' | 'target'> {
  readonly run: Pick<Run['run'], 'id' | 'mode' | 'startedAt'>
}

/** The kinds of targets: `root:/mnt/disk` is a `root`. */
export type TargetKind = 'local' | 'root' | 'image' | 'ssh' | 'container' | 'pod' | 'machine'

/**
 * The scanned system. `root` is a directory with a system that is not running, `image` an image; `merged` is the target
 * of merged runs, where each policy has its own target.
 */
export interface RunTarget {
  readonly kind: TargetKind | 'merged'
  /** The operator's name for it, if it is one of several targets; unlike the hostname, it is unique. */
  readonly name?: string
  readonly hostname: string
  readonly os: { readonly id: string; readonly version: string }
  /** Hashed machine id, because hostnames are not unique. Undefined if missing. */
  readonly machine?: string
  /** Hashed boot id. */
  readonly boot?: string
  /** The directory of a `root`, the file or directory of an `image`. */
  readonly path?: string
  /** The identity of an `image`. */
  readonly image?: ImageIdentity
}

/** The identity of an image, since a file may contain several. */
export interface ImageIdentity {
  /** The first of its names in the file. */
  readonly name?: string
  /** Digest of its manifest in an OCI layout, or of its configuration in an archive of `docker save`. */
  readonly digest?: string
  /** From its configuration: `linux/amd64`. */
  readonly platform: string
}

/** The result of one target of several. */
export interface ScannedTarget {
  /** Unique among the targets of the scan. */
  readonly name: string
  /** As on the command line: `ssh:web01`, `root:/mnt/disk`. */
  readonly spec: string
  readonly kind: TargetKind
  readonly labels: Readonly<Record<string, string>>
  /** Why it was not scanned; undefined if it was. */
  readonly reason?: ErrorReason
  /** Id of its own run. */
  readonly runId: string
  readonly summary: Summary
  readonly exit: Run['exit']
}

/** `audit` only observes; `fix` also applies and observes again. */
export type RunMode = 'audit' | 'fix'

/** Number of resources by verdict; roll-ups are not counted. */
export type Summary = { readonly total: number } & Readonly<Record<Verdict, number>>

/** The result of one policy: its selected resources and controls, in the order of the policy. */
export interface PolicyResult {
  readonly id: string
  readonly title?: string
  readonly version?: string
  readonly source: string
  readonly sha256: string
  /** Name of the target, if a scan has several. */
  readonly target?: string
  /** The original run in a merged report; undefined means the run of the report itself. */
  readonly origin?: RunOrigin
  readonly resources: readonly ResourceResult[]
  readonly controls: readonly ControlResult[]
  /**
   * Number of requirements (controls, and resources without a control) that a selection or an interruption skipped.
   * Undefined if empty.
   */
  readonly skipped?: number
  /**
   * The scan options that determined desired and accepted values, to repeat the scan: `--data=site.yaml`. Possible
   * secrets are left out, as in `--set=`. Undefined if empty.
   */
  readonly inputs?: readonly string[]
}

/** The original run of a policy in a merged report. */
export interface RunOrigin {
  readonly runId: string
  readonly mode: RunMode
  readonly startedAt: string
  readonly target: RunTarget
}

/** A drift in a report. */
export interface ReportedDrift extends Drift {
  /**
   * Identifies the same finding in every run: policy, resource, property and kind of difference, but no value, line or
   * time. Lowercase hex.
   */
  readonly fingerprint?: string
  /** Id of the waiver in force that accepts it. */
  readonly waiver?: string
  /** Comparison with the reference report; undefined without one, or if a waiver accepts the drift. */
  readonly baseline?: BaselineClass
}

/** The result of one control, from its selected resources. */
export interface ControlResult {
  readonly id: string
  /** Ids of the apply resources that contain its policy; undefined for the policy itself. */
  readonly path?: readonly string[]
  readonly title?: string
  readonly severity: Severity
  readonly description?: string
  readonly remediation?: string
  readonly references?: Readonly<Record<string, readonly string[]>>
  readonly tags?: readonly string[]
  /** The worst verdict of its selected resources; for a manual control, `not-evaluated` at best. */
  readonly verdict: ControlVerdict
  readonly resources: readonly string[]
}

/** The status of a health check, in the terms of Nagios plugins. */
export type HealthStatus = 'OK' | 'WARNING' | 'CRITICAL' | 'UNKNOWN'

/** One attempt of a health check. */
export interface HealthAttempt {
  readonly status: HealthStatus
  /** Undefined if the command was not started or was killed by a signal. */
  readonly exitCode?: number
  /** Its output, bounded. */
  readonly output: string
  /** Why the status is unknown. */
  readonly trouble?: ErrorReason
  readonly durationMs: number
}

/** The result of one health check; its status is that of the last attempt. */
export interface HealthResult {
  readonly name: string
  readonly status: HealthStatus
  readonly attempts: readonly HealthAttempt[]
}

/**
 * The result of one resource, identified by `path` and `id`. An apply resource rolls up the results of its child
 * manifest, which follow it. Values and sentences contain no secrets; they are not escaped.
 */
export interface ResourceResult {
  readonly id: string
  /** Ids of the apply resources that contain it, outermost first; undefined in the policy itself. */
  readonly path?: readonly string[]
  readonly type: string
  readonly name: string
  readonly alias?: string
  readonly provider?: string
  readonly verdict: Verdict
  /** Whether a fix would resolve the drift; only for a drifted resource, or one whose fix failed. */
  readonly change?: Change
  /** Why `change` is `may` or `cannot`. */
  readonly changeReason?: string
  readonly ensure?: { readonly desired: string; readonly observed: string }
  /** The differences of the first observation, in the order of the type's checks. */
  readonly drift: readonly ReportedDrift[]
  /** The differences that remain after a fix. */
  readonly remaining?: readonly Drift[]
  readonly unknown?: readonly UnknownProperty[]
  /** The planned actions, or the performed ones after a fix, in the sentences of CCM. */
  readonly actions: readonly string[]
  /** The individual effects, if the type declares them. */
  readonly effect?: readonly Effect[]
  /** What the change may cut off: `logins over SSH depend on it`. */
  readonly risk?: string
  /** Why the change, or a part of it, cannot be undone. */
  readonly irreversible?: string
  /** Output of a command of the fix, if it failed or the resource requests it. At most about 64 KiB. */
  readonly output?: string
  /** The reason of the verdict in one line; for a compliant resource, the message of its type, if any. */
  readonly message?: string
  /** The reason of an `error`. */
  readonly reason?: ErrorReason
  readonly errors?: readonly string[]
  /** The requirements that caused `blocked`. */
  readonly blockedBy?: readonly string[]
  /** Its health checks, in execution order. */
  readonly health?: readonly HealthResult[]
  /** The waivers of its drift, including those that no longer accept it. */
  readonly waivers?: readonly WaiverUse[]
  /** Warnings that do not affect the verdict. */
  readonly warnings?: readonly string[]
  readonly severity: Severity
  readonly controls: readonly string[]
  readonly tags?: readonly string[]
  readonly source: Position
  readonly durationMs: number
}
