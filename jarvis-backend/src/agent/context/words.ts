import type { ContextPart, ContextReport } from 'protocol'

const titles: Record<ContextPart['part'], string> = {
  system: 'System, rules and cluster',
  tools: 'Tools',
  skills: 'Skills',
  memory: 'Memory and prompt files',
  folded: 'Folded turns',
  transcript: 'Transcript',
  results: 'Tool results',
  reserved: 'Kept for the answer',
  free: 'Free',
}

/** A report as an answer in a chat. */
export function contextWords(report: ContextReport): string {
  const { model, windowTokens, usedTokens, countedTokens, parts, spent, fold } = report
  const percent = Math.round((100 * usedTokens) / windowTokens)
  const source =
    countedTokens === 0
      ? 'All of it is estimated.'
      : `The provider counted ${short(countedTokens)} of them; the rest is estimated.`
  const rows = parts.map(
    ({ part, tokens, count, largest }) =>
      `| ${titles[part]}${count > 1 ? `, ${count}` : ''} | ${short(tokens)} | ${largest === undefined ? '' : `${plain(largest.name)}, ${short(largest.tokens)}`} |`,
  )
  const { usage, costUsd } = spent
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
  return [
    `${short(usedTokens)} of ${short(windowTokens)} tokens of ${model} are used, ${percent} %. ${source} Old turns are folded at ${Math.round(100 * report.turnsAt)} %.`,
    ['| | tokens | largest |', '|---|---|---|', ...rows].join('\n'),
    `Spent in this session: ${short(input)} tokens read, ${short(usage.cacheReadTokens)} of them from the cache, ${short(usage.outputTokens)} written, ${costUsd === undefined ? 'price not known' : `$${costUsd.toFixed(2)}`}; folded ${spent.folds === 1 ? 'once' : `${spent.folds} times`}.`,
    fold.because === undefined
      ? `/fold folds ${fold.entries} older entries now.`
      : `Nothing to fold now: ${fold.because}`,
  ].join('\n\n')
}

const short = (tokens: number) => (tokens < 1_000 ? String(tokens) : `${(tokens / 1_000).toFixed(1)}k`)
/** Replaces signs that would end the table cell or be read as Markdown. */
const plain = (name: string) => name.replace(/[|`*_<>[\]\\]/g, ' ')
