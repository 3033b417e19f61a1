/** Returns arguments as one line: the node first, then the others in the given order. */
export function argumentText(input: Record<string, unknown>): string {
  const { node, ...rest } = input
  return [node, ...Object.entries(rest).map(([key, value]) => (value === true ? key : value))]
    .filter((value) => value !== undefined && value !== false)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join('  ')
}
