type Body = Record<string, unknown>
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const list = (value: unknown): string => (Array.isArray(value) ? value.map(text).join(', ') : '')
const spoken = (value: unknown) => text(value).replaceAll('_', ' ')

/** Wording for changes whose name alone would be unclear or misleading. */
const words: Record<string, (body: Body) => string> = {
  probed: ({ ok }) => (ok === false ? 'looked at, no answer' : 'looked at'),
  tested: ({ ok, tokenId }) => `token ${text(tokenId)} tried: ${ok === true ? 'it works' : 'not all of it works'}`,
  saved: () => 'saved for the next start',
  model_tested: ({ verdict, model }) =>
    verdict === 'unknown_model' && model === undefined
      ? 'models listed'
      : `tried: ${verdict === 'works' ? 'it works' : spoken(verdict)}`,
  model_saved: () => 'saved and used',
  model_used: () => 'used',
  model_forgotten: () => 'forgotten',
  push_on: () => 'told of cards from now on',
  push_off: () => 'told of cards no more',
  rehearsal: ({ isRehearsal }) => `rehearsal ${isRehearsal === true ? 'on' : 'off'}`,
  renamed: ({ title }) => (text(title) === '' ? 'renamed' : `renamed “${text(title)}”`),
  branched: ({ from }) => `branched from ${text(from)}`,
  set: ({ server }) => (server === undefined ? 'set' : 'attached or changed'),
  kept: () => 'kept: it does not go back by itself any more',
  undone: () => 'taken back',
  not_undone: ({ why }) => `not taken back${text(why) === '' ? '' : `: ${text(why)}`}`,
  not_gone_back: () => 'could not go back by itself',
  workbench: ({ from, to }) => `workbench: ${changedKeys(from, to)}`,
  tier_lost: () => 'tier taken back: its definition changed',
  sign_in_refused: ({ reason }) => `sign-in refused: ${text(reason)}`,
  sign_in_lost: ({ reason }) => `sign-in ended: ${text(reason)}`,
  sign_in_wants: ({ scopes }) => `asks for more rights: ${list(scopes)}`,
  signed_out: ({ isRevoked }) => `signed out${isRevoked === true ? '' : ', and its token was not revoked there'}`,
}

/** Describes a change in words, without its object. For journal entries without a call. */
export function changeOf(body: Body): string {
  const change = text(body.change) || text(body.event)
  const said = Object.hasOwn(words, change) ? words[change]?.(body) : undefined
  if (said !== undefined) return said
  const to = text(body.to)
  return `${spoken(change)}${to === '' ? '' : ` ${to}`}`
}

/** Returns the object of a change, by the name that people use: for a session its title, if the journal has it. Empty: unknown. */
export function objectOf({ change, title, ...body }: Body): string {
  const named = change === 'renamed' ? '' : text(title)
  const model = [text(body.provider), text(body.model)].filter((part) => part !== '').join('/')
  const limits = change === 'limits' ? changedKeys(body.from, body.to) : ''
  const ids = [body.url, body.server, body.name, body.path, body.node, body.label, body.client, body.id, body.sessionId]
  return (
    named || list(body.urls) || limits || (model === '' ? '' : `${model} ${text(body.baseUrl)}`.trim()) || firstOf(ids)
  )
}

const firstOf = (values: readonly unknown[]) => values.map(text).find((value) => value !== '') ?? ''

function changedKeys(from: unknown, to: unknown): string {
  const [before, after] = [from, to].map((side) => (typeof side === 'object' && side !== null ? side : {}) as Body)
  return Object.keys(after ?? {})
    .filter((key) => JSON.stringify(before?.[key]) !== JSON.stringify(after?.[key]))
    .map((key) => key.replace(/(Ratio|C|Hours|Minutes)$/, ''))
    .join(', ')
}
