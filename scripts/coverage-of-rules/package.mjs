// Packages that have to be there, or must not be.

/** The keys of vendors, as the database of rpm names them: the one of releases and the one for when that is lost. */
const VENDOR_KEYS = { rhel9: ['fd431d51-4ae0493b', '5a6340b3-6229229e'] }

export const packages = {
  kinds: ['package'],
  translate({ os, params: { package: names, ensure = 'absent', rpm, release } }) {
    if (rpm !== undefined) {
      const keys = release === 'vendor' ? VENDOR_KEYS[os] : undefined
      if (keys === undefined) return undefined
      // It ends with 0 where each of them is there.
      const command = ['rpm -q', ...keys.map((key) => `${rpm}-${key}`)].join(' ')
      return [{ type: 'command', name: "the vendor's signing keys", properties: { command } }]
    }
    return [names].flat().map((name) => ({ type: 'package', name, properties: { ensure } }))
  },
}
