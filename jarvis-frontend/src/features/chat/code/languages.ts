/** Grammars by the language name of a fence. Code with any other name stays plain, including logs. */
const grammars: Readonly<Record<string, string>> = {
  bash: 'bash',
  sh: 'bash',
  shell: 'bash',
  zsh: 'bash',
  console: 'bash',
  yaml: 'yaml',
  yml: 'yaml',
  json: 'json',
  jsonc: 'json',
  js: 'javascript',
  javascript: 'javascript',
  mjs: 'javascript',
  ts: 'typescript',
  typescript: 'typescript',
  py: 'python',
  python: 'python',
  ini: 'ini',
  conf: 'ini',
  systemd: 'ini',
  service: 'ini',
  toml: 'toml',
  nginx: 'nginx',
  diff: 'diff',
  patch: 'diff',
  sql: 'sql',
  docker: 'docker',
  dockerfile: 'docker',
  xml: 'xml',
  html: 'html',
}

/** Returns the grammar for a fence, by its first word: `yaml title="x"` is yaml. Undefined: plain. */
export const grammarOf = (fence: string): string | undefined => {
  const name = fence.trim().split(/\s/, 1)[0]?.toLowerCase() ?? ''
  return Object.hasOwn(grammars, name) ? grammars[name] : undefined
}
