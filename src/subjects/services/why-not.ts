import type { UnitEnablement, UnitFileState } from './services.ts'

// Why a fix cannot change how a unit starts.

export function whyNotEnabled(unit: string, { state, isInstallable }: UnitEnablement): string | undefined {
  if (isMasked(state)) return maskedReason(unit)
  return isInstallable ? undefined : `${unit} has no [Install] section, so it cannot be enabled`
}

export function whyNotDisabled(unit: string, { state, isInstallable }: UnitEnablement): string | undefined {
  switch (state) {
    case 'static':
      return `${unit} is static: it starts as a dependency of other units, which only a mask prevents`
    case 'generated':
    case 'transient':
    case 'alias':
      return `${unit} is ${state}, so it cannot be disabled`
    case 'indirect':
      return isInstallable ? undefined : `${unit} is enabled only through other units`
    default:
      return undefined
  }
}

export function isMasked(state: UnitFileState): boolean {
  return state === 'masked' || state === 'masked-runtime'
}

export function maskedReason(unit: string): string {
  return `${unit} is masked; run systemctl unmask ${unit} to remove the mask`
}
