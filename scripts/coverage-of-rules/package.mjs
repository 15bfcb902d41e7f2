// Packages that have to be there, or must not be.

export const packages = {
  kinds: ['package'],
  translate({ params: { package: names, ensure = 'absent', rpm } }) {
    // A key in the database of rpm has no version that a policy could name.
    if (rpm !== undefined) return undefined
    return [names].flat().map((name) => ({ type: 'package', name, properties: { ensure } }))
  },
}
