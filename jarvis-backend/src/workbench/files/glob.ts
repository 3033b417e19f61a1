/** A pattern of paths as a regular expression: `*` and `?` within a name, `**` over folders, `{a,b}`, `[a-z]`. Case counts. */
export function globPattern(glob: string): RegExp {
  let source = ''
  let depth = 0
  for (let at = 0; at < glob.length; at += 1) {
    const letter = glob[at] ?? ''
    if (letter === '*' && glob[at + 1] === '*') {
      const isFolder = glob[at + 2] === '/'
      source += isFolder ? '(?:[^/]+/)*' : '.*'
      at += isFolder ? 2 : 1
    } else if (letter === '*') source += '[^/]*'
    else if (letter === '?') source += '[^/]'
    else if (letter === '{') {
      depth += 1
      source += '(?:'
    } else if (letter === '}' && depth > 0) {
      depth -= 1
      source += ')'
    } else if (letter === ',' && depth > 0) source += '|'
    else if (letter === '[' && /^\[[^\]/]+\]/.test(glob.slice(at))) {
      const end = glob.indexOf(']', at)
      const inner = glob
        .slice(at + 1, end)
        .replace(/^!/, '^')
        .replace(/[\\[]/g, '\\$&')
      source += `[${inner}]`
      at = end
    } else source += letter.replace(/[\\^$.|+()[\]{}]/g, '\\$&')
  }
  return new RegExp(`^${source}${')'.repeat(depth)}$`)
}
