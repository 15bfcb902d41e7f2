/**
 * The parts of OSCAL assessment results, version 1.1.2, that driftgate writes, with the names of the format. Arrays
 * must not be empty. `title` is a line of Markdown, `description` and `remarks` are Markdown, `value` is plain text,
 * and ids are tokens.
 */
export interface OscalDocument {
  readonly 'assessment-results': {
    readonly uuid: string
    readonly metadata: {
      readonly title: string
      readonly 'last-modified': string
      readonly version: string
      readonly 'oscal-version': '1.1.2'
    }
    readonly 'import-ap': { readonly href: string; readonly remarks: string }
    readonly 'local-definitions'?: { readonly 'objectives-and-methods': readonly OscalObjective[] }
    readonly results: readonly OscalResult[]
    readonly 'back-matter': { readonly resources: readonly Described[] }
  }
}

interface Described {
  readonly uuid: string
  readonly title: string
  readonly description: string
}

export interface OscalProperty {
  readonly name: string
  readonly ns?: string
  readonly value: string
  readonly class?: string
}

/** A requirement; the id of its part is the target of findings. */
export interface OscalObjective {
  readonly 'control-id': string
  readonly description: string
  readonly parts: readonly {
    readonly id: string
    readonly name: 'assessment-objective'
    readonly title: string
    readonly prose: string
  }[]
}

export interface OscalResult extends Described {
  readonly start: string
  readonly end?: string
  readonly props: readonly OscalProperty[]
  readonly 'local-definitions': {
    readonly 'inventory-items': readonly OscalItem[]
    readonly 'assessment-assets': {
      readonly components: readonly (Described & {
        readonly type: string
        readonly status: { readonly state: string }
      })[]
      readonly 'assessment-platforms': readonly {
        readonly uuid: string
        readonly 'uses-components': readonly { readonly 'component-uuid': string }[]
      }[]
    }
  }
  readonly 'reviewed-controls': { readonly 'control-selections': readonly OscalSelection[] }
  readonly 'assessment-log'?: { readonly entries: readonly (Described & { readonly start: string })[] }
  readonly observations?: readonly OscalObservation[]
  readonly risks?: readonly OscalRisk[]
  readonly findings?: readonly OscalFinding[]
}

export interface OscalItem {
  readonly uuid: string
  readonly description: string
  readonly props: readonly OscalProperty[]
}

export interface OscalSelection {
  readonly description: string
  readonly 'include-controls'?: readonly { readonly 'control-id': string }[]
}

interface OscalOrigin {
  readonly actors: readonly { readonly type: 'tool'; readonly 'actor-uuid': string }[]
}

export interface OscalObservation extends Described {
  readonly props: readonly OscalProperty[]
  readonly methods: readonly ['TEST']
  readonly origins: readonly OscalOrigin[]
  readonly subjects: readonly {
    readonly 'subject-uuid': string
    readonly type: 'inventory-item'
    readonly title: string
  }[]
  readonly 'relevant-evidence'?: readonly { readonly description: string; readonly props: readonly OscalProperty[] }[]
  readonly collected: string
}

export type RiskStatus = 'open' | 'remediating' | 'deviation-approved' | 'closed'

interface RelatedObservation {
  readonly 'observation-uuid': string
}

export interface OscalRisk extends Described {
  readonly statement: string
  readonly props: readonly OscalProperty[]
  readonly status: RiskStatus
  readonly origins: readonly OscalOrigin[]
  readonly deadline?: string
  readonly remediations?: readonly (Described & { readonly lifecycle: 'completed' })[]
  readonly 'related-observations': readonly RelatedObservation[]
}

export interface OscalStatus {
  readonly state: 'satisfied' | 'not-satisfied'
  readonly reason: 'pass' | 'fail' | 'other'
  readonly remarks: string
}

export interface OscalFinding extends Described {
  readonly props: readonly OscalProperty[]
  readonly origins: readonly OscalOrigin[]
  readonly target: {
    readonly type: 'objective-id'
    readonly 'target-id': string
    readonly status: OscalStatus
  }
  readonly 'related-observations'?: readonly RelatedObservation[]
  readonly 'related-risks'?: readonly { readonly 'risk-uuid': string }[]
}
