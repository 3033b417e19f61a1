/** Removes control and invisible characters, which could hide instructions to a model; cuts after `most`. */
export function visible(text: string, most: number): string {
  const shown = text
    .slice(0, 4 * most)
    .replace(/[^\P{C}\n]|[\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu, ' ')
    .trim()
  return shown.length > most ? `${shown.slice(0, most)}…` : shown
}

/** Applies `visible` to every description and title in a JSON schema. */
export function visibleSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(visibleSchema)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      typeof member === 'string' && (key === 'description' || key === 'title')
        ? visible(member, 2_000)
        : visibleSchema(member),
    ]),
  )
}
