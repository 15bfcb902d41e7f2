// Units that have to run, or must not.

export const service = {
  kinds: ['service'],
  translate({ params: { unit, want } }) {
    if (unit === undefined || want === undefined) return undefined
    const name = unit.replace(/\.service$/, '')
    if (want.includes('enabled')) return [{ type: 'service', name, properties: { ensure: 'running', enable: true } }]
    // What does not exist needs no mask.
    return [{ type: 'service', name, properties: { ensure: 'stopped', masked: true } }]
  },
}
