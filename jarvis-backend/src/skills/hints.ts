import type { SkillHint } from 'protocol'

type Kind = SkillHint['kind']

/** Patterns of dangerous instructions, by kind. A match is only pointed out and forbids nothing, because a text can say the same in other words. */
const signs: readonly (readonly [Kind, RegExp, string, then?: RegExp])[] = [
  [
    'run',
    /\b(?:curl|wget|fetch)\b/i,
    'tells its reader to run a download. JARVIS runs nothing of a skill.',
    /\|\s{0,20}(?:sudo\s{1,20})?(?:ba|z|da)?sh\b/i,
  ],
  ['run', /\b(?:iex|invoke-expression)\b/i, 'tells its reader to run a download. JARVIS runs nothing of a skill.'],
  [
    'download',
    /\b(?:curl|wget|git\s+clone|invoke-webrequest|iwr|aria2c)\b|\b(?:pip3?|pipx|npm|pnpm|yarn|uv|brew|cargo|gem|go|apt(?:-get)?|dnf|yum|apk)\s+(?:-\S{1,80}\s{1,20}){0,8}(?:install|add|get)\b|\b(?:npx|uvx)\s+\S|\bdownload(?:s|ed|ing)?\b/i,
    'tells its reader to download or install something. JARVIS does neither for a skill.',
  ],
  [
    'paste',
    /\bpaste[sd]?\b/i,
    'tells its reader to paste something, or what must be there before.',
    /\b(?:terminal|shell|console|command|prompt|browser|into)\b/i,
  ],
  ['paste', /\bprerequisites?\b/i, 'tells its reader to paste something, or what must be there before.'],
  ['run', /!`[^`\n]+`/, 'holds a command for other programs to run at once. JARVIS takes it for text.'],
  [
    'run',
    /\b(?:sudo|chmod\s+\+?[0-7x]+|eval|powershell|osascript|xattr\s+-c|nohup|crontab)\b|\b(?:python3?|node|bash|sh|perl|ruby)\s+\S+\.(?:py|js|mjs|ts|sh|pl|rb)\b|\brun\s+(?:this|the\s+following|it)\b|(?:^|[\s`(])(?:\.\/)?scripts\/[\w./-]+/i,
    'tells its reader to run something. JARVIS runs nothing of a skill; a command is a call like any other.',
  ],
  [
    'encoded',
    /\bbase64\b|\bxxd\s+-r\b|\batob\(|fromCharCode|\b(?:[A-Za-z0-9+/]{4}){24,}={0,2}|(?:\\x[0-9a-f]{2}){8,}/i,
    'holds text in a code that a person cannot read here.',
  ],
  [
    'unasked',
    /\b(?:ignore|disregard|forget)\b/i,
    'speaks of secrets, or of what to do without asking.',
    /\b(?:instructions?|rules?|previous|above)\b/i,
  ],
  [
    'unasked',
    /\bwithout\s+(?:asking|confirm|approval|permission|telling)|\b(?:do\s+not|don['’]t|never)\s+(?:tell|ask|mention|inform|show)\b|\b(?:token|password|secret|credential|private key|api key)s?\b/i,
    'speaks of secrets, or of what to do without asking.',
  ],
]

/** Maximum characters of a line that are searched. */
const mostChars = 4_000

/** Returns the first match of each kind in each line, at most `most` in all. */
export function hintsIn(path: string, text: string, most = 200): SkillHint[] {
  const hints: SkillHint[] = []
  for (const [at, whole] of text.split('\n').entries()) {
    const line = whole.slice(0, mostChars)
    const kinds = new Set<Kind>()
    for (const [kind, sign, message, then] of signs) {
      if (kinds.has(kind)) continue
      const found = sign.exec(line)
      if (found === null || then?.test(line.slice(found.index + found[0].length)) === false) continue
      kinds.add(kind)
      hints.push({ path, line: at + 1, kind, message: `Line ${at + 1} ${message}` })
      if (hints.length === most) return hints
    }
  }
  return hints
}
