import type { Verdict } from './gate.ts'

/** Describes the next step. */
export function nextWords(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'wait':
      return `waits: ${verdict.reason}`
    case 'release':
      return `ring ${verdict.ring} is due: "driftgate fleet serve --release" releases it`
    case 'stop':
      return `stops: ${verdict.reason}`
    case 'done':
      return 'every ring has it'
  }
}
