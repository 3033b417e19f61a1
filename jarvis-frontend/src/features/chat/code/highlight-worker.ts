import { createHighlighterCore, type HighlighterCore } from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import type { Asked, Piece, Told } from './highlight.ts'
import { kindOf, theme } from './kinds.ts'

const load: Record<string, () => Promise<{ default: Parameters<HighlighterCore['loadLanguage']>[0] }>> = {
  bash: () => import('shiki/langs/bash.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  ini: () => import('shiki/langs/ini.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  nginx: () => import('shiki/langs/nginx.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  docker: () => import('shiki/langs/docker.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  html: () => import('shiki/langs/html.mjs'),
}
const highlighter = createHighlighterCore({
  themes: [theme],
  langs: [],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
})

/** @param begins called when the grammar is loaded, before the text is tokenized */
async function piecesOf({ text, grammar }: Asked, begins: () => void): Promise<Piece[]> {
  const ready = await highlighter
  const language = await load[grammar]?.()
  if (language === undefined) return [[text]]
  await ready.loadLanguage(language.default)
  begins()
  const pieces: Piece[] = []
  // By default the library leaves the rest of a line plain after 500 ms. On a slow machine, the first line of a grammar takes that long.
  const { tokens } = ready.codeToTokens(text, { lang: grammar, theme: theme.name, tokenizeTimeLimit: 0 })
  for (const [at, line] of tokens.entries()) {
    if (at > 0) add(pieces, '\n')
    for (const { content, color } of line) add(pieces, content, kindOf(color))
  }
  return pieces
}

/** Adds a piece, and joins it with the last piece if both have the same kind. */
function add(pieces: Piece[], text: string, kind?: Piece[1]): void {
  const last = pieces.at(-1)
  if (last !== undefined && (last[1] === kind || /^\s*$/.test(text))) last[0] += text
  else pieces.push(kind === undefined ? [text] : [text, kind])
}

addEventListener('message', ({ data }: MessageEvent<Asked>) => {
  const { id, text } = data
  const tell = (told: Told) => postMessage(told)
  piecesOf(data, () => tell({ id })).then(
    (pieces) => tell({ id, pieces }),
    () => tell({ id, pieces: [[text]] }),
  )
})
