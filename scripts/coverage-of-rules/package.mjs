// Packages that have to be there, or must not be.

/**
 * The keys of vendors, as the database of rpm names them: the end of the fingerprint, and when the key was signed. For Red Hat
 * Enterprise Linux 9 these are release key 2 (567E347AD0044ADE55BA8A5F199E2F91FD431D51, 2009) and auxiliary key 3
 * (7E4624258C406535D56D6F135054E4A45A6340B3, 2022). @see https://access.redhat.com/security/team/key
 */
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
