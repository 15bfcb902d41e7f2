import type { UnitEnablement, UnitFileState } from './services.ts'

// Why a fix cannot change how a unit starts.

export function whyNotEnabled(unit: string, { state, isInstallable }: UnitEnablement): string | undefined {
  if (isMasked(state)) return maskedReason(unit)
  return isInstallable ? undefined : `${unit} has no [Install] section that says what enabling it means`
}

export function whyNotDisabled(unit: string, { state, isInstallable }: UnitEnablement): string | undefined {
  switch (state) {
    case 'static':
      return `${unit} is static: it starts when another unit needs it, and only a mask prevents that`
    case 'generated':
    case 'transient':
    case 'alias':
      return `${unit} is ${state}, which cannot be disabled`
    case 'indirect':
      return isInstallable ? undefined : `${unit} is enabled by way of other units only`
    default:
      return undefined
  }
}

export function isMasked(state: UnitFileState): boolean {
  return state === 'masked' || state === 'masked-runtime'
}

export function maskedReason(unit: string): string {
  return `${unit} is masked; systemctl unmask ${unit} takes the mask away`
}
