import { defined } from '../../model/defined.ts'
import { toSafeJson } from '../../model/safe-json.ts'
import { escapeForTerminal } from '../../model/escape.ts'
import type { Severity } from '../../model/verdict.ts'
import type { Position } from '../../model/problem.ts'
import { encodePath, placeOf, relativePathOf } from './place.ts'
import { clip } from './clip.ts'

/** The reader of the SARIF file: any, or GitHub's code scanning, which supports a subset. */
export type SarifProfile = 'full' | 'github'

export type SarifLevel = 'none' | 'note' | 'warning' | 'error'

/** The parts of SARIF 2.1.0 that driftgate writes. @see OASIS sarif-v2.1.0-errata01 */
export interface SarifLog {
  readonly $schema: string
  readonly version: '2.1.0'
  readonly runs: readonly SarifRun[]
}

export interface SarifRun {
  readonly tool: { readonly driver: SarifDriver }
  readonly automationDetails?: { readonly id?: string; readonly guid?: string }
  readonly baselineGuid?: string
  readonly columnKind: 'utf16CodeUnits'
  readonly originalUriBaseIds?: Readonly<Record<string, { readonly description: SarifText }>>
  readonly invocations: readonly SarifInvocation[]
  readonly results: readonly SarifResult[]
}

interface SarifDriver {
  readonly name: 'driftgate'
  readonly version: string
  readonly rules: readonly SarifRule[]
}

export interface SarifText {
  readonly text: string
  readonly markdown?: string
}

export interface SarifRule {
  readonly id: string
  readonly shortDescription: SarifText
  readonly fullDescription: SarifText
  readonly help: SarifText
  /** A URL among its references. */
  readonly helpUri?: string
  readonly defaultConfiguration: { readonly level: SarifLevel }
  readonly properties: Readonly<Record<string, unknown>>
}

export interface SarifInvocation {
  readonly executionSuccessful: boolean
  readonly exitCode?: number
  readonly exitCodeDescription?: string
  readonly startTimeUtc: string
  readonly endTimeUtc?: string
  readonly machine: string
  readonly toolConfigurationNotifications: readonly SarifNotification[]
  readonly toolExecutionNotifications: readonly SarifNotification[]
}

export interface SarifNotification {
  readonly level: SarifLevel
  readonly message: SarifText
  readonly locations?: readonly SarifLocation[]
  readonly associatedRule?: { readonly id: string; readonly index: number }
}

export interface SarifResult {
  readonly ruleId: string
  readonly ruleIndex: number
  readonly kind: 'notApplicable' | 'pass' | 'fail' | 'open' | 'review'
  readonly level: SarifLevel
  readonly message: SarifText
  readonly locations: readonly SarifLocation[]
  readonly partialFingerprints: Readonly<Record<string, string>>
  readonly suppressions?: readonly SarifSuppression[]
  readonly baselineState?: 'new' | 'unchanged' | 'updated' | 'absent'
  readonly properties?: Readonly<Record<string, unknown>>
}

interface SarifSuppression {
  readonly kind: 'external'
  readonly status: 'accepted'
  readonly justification: string
}

export interface SarifLocation {
  readonly physicalLocation?: {
    readonly artifactLocation: { readonly uri: string; readonly uriBaseId?: string }
    readonly region?: { readonly startLine: number; readonly startColumn?: number }
  }
  readonly logicalLocations?: readonly SarifLogicalLocation[]
}

interface SarifLogicalLocation {
  readonly name: string
  readonly fullyQualifiedName: string
  readonly kind: string
}

export const SARIF_LEVELS: Readonly<Record<Severity, SarifLevel>> = {
  info: 'note',
  low: 'note',
  medium: 'warning',
  high: 'error',
  critical: 'error',
}

/** The base of the paths of `inside` files. */
export const SOURCE_ROOT = '%SRCROOT%'

/** Maximum length of a message; the JSON report has complete values. */
const MESSAGE_CHARACTERS = 4_000

/** Serializes a log, with a final line feed. */
export function serializeSarif(runs: readonly SarifRun[]): string {
  const log: SarifLog = {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs,
  }
  return `${toSafeJson(log, 2)}\n`
}

/**
 * Escapes untrusted text as a plain text message without embedded links and placeholders. The standard doubles braces
 * for that (3.11.5); GitHub has no placeholders and would show both.
 */
export function messageText(text: string, profile: SarifProfile): string {
  const visible = escapeForTerminal(clip(text, MESSAGE_CHARACTERS)).replaceAll('](', '] (')
  return profile === 'github' ? visible : visible.replace(/[{}]/g, '$&$&')
}

/** The location of a line in a policy file. GitHub rejects a whole log that contains a URL, and a result without a line. */
export function physicalLocation({ file, line, column }: Position, profile: SarifProfile): SarifLocation {
  const place = placeOf(file)
  const region = place.isBundle ? undefined : { startLine: line, startColumn: column }
  return {
    physicalLocation:
      profile === 'github'
        ? { artifactLocation: { uri: uriForGitHub(file) }, region: region ?? { startLine: 1 } }
        : { artifactLocation: artifactLocation(file), ...defined({ region }) },
  }
}

function artifactLocation(file: string): { uri: string; uriBaseId?: string } {
  const place = placeOf(file)
  switch (place.kind) {
    case 'inside':
      return { uri: encodePath(place.path), uriBaseId: SOURCE_ROOT }
    case 'absolute':
      return { uri: `file://${encodePath(place.path)}` }
    case 'address':
      return { uri: place.url.href }
    case 'outside':
    case 'stdin':
      return { uri: encodePath(relativePathOf(place)) }
  }
}

/** The upload action makes `file` URLs below the checkout relative again. */
function uriForGitHub(file: string): string {
  const place = placeOf(file)
  return place.kind === 'absolute' ? `file://${encodePath(place.path)}` : encodePath(relativePathOf(place))
}
