const mostListed = 500

/** The texts under `enum` and `const` of a JSON schema: at most 500. */
export function listedIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found
  for (const [key, member] of Object.entries(value)) {
    if (key === 'enum' || key === 'const') {
      for (const item of Array.isArray(member) ? member : [member]) {
        if (typeof item === 'string' && found.size < mostListed) found.add(item)
      }
    } else listedIn(member, found)
  }
  return found
}
