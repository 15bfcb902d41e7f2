import { type Acceptance, formatAcceptance, mapAcceptance, valuesNamed } from '../../core/acceptance.ts'
import { known, type Reading, unknown } from '../../core/observation.ts'
import { directoryMode, formatMode, hasSpecialBits, parseMode } from './mode.ts'
import type { FileProperties } from './properties.ts'
import type { WantedMode } from './state.ts'

/** What is accepted as the mode, with the bits that each spelling means for a file or a directory. */
export function wantedMode({ mode, ensure }: FileProperties): Reading<WantedMode | undefined> {
  if (mode === undefined) return known(undefined)
  const adapt = ensure === 'directory' ? directoryMode : (bits: number): number => bits
  return typeof mode === 'string' ? wantedBits(mode, adapt) : wantedAcceptance(mode, adapt)
}

/** What makes the mode of a directory of one that was written with files in mind. */
type Adapt = (bits: number) => number

const EXECUTE_ADDED = 'with execute where a directory may be read'

function wantedBits(mode: string, adapt: Adapt): Reading<WantedMode> {
  const parsed = parseMode(mode)
  if ('problem' in parsed) return unknown('invalid', parsed.problem)
  const bits = adapt(parsed.bits)
  return known({
    shown: formatMode(bits),
    accepted: { is: bits },
    namesSpecialBits: hasSpecialBits(bits),
    note: bits === parsed.bits ? undefined : `${formatMode(parsed.bits)} ${EXECUTE_ADDED}`,
  })
}

function wantedAcceptance(mode: Acceptance<string>, adapt: Adapt): Reading<WantedMode> {
  const bitsOf = new Map<string, number>()
  let isAdapted = false
  for (const text of valuesNamed(mode)) {
    const parsed = parseMode(text)
    if ('problem' in parsed) return unknown('invalid', parsed.problem)
    const bits = adapt(parsed.bits)
    isAdapted ||= bits !== parsed.bits
    bitsOf.set(text, bits)
  }
  const accepted = mapAcceptance(mode, (text) => bitsOf.get(text) ?? 0)
  return known({
    shown: mode,
    accepted,
    namesSpecialBits: [...bitsOf.values()].some(hasSpecialBits),
    note: isAdapted ? `here ${inWords(accepted)}, ${EXECUTE_ADDED}` : undefined,
  })
}

function inWords(accepted: Acceptance<number>): string {
  return formatAcceptance(mapAcceptance(accepted, formatMode), String)
}
