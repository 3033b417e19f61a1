import { type OpenApi, type Operation, operationsOf, successOf } from './api-client.ts'

/** The marks around what `npm run reference` writes. `table` stands for a page's one table. */
const marks = {
  tables: [
    '<!-- The tables below are made by: npm run reference -->',
    '<!-- The tables above are made by: npm run reference -->',
  ],
  table: [
    '<!-- The table below is made by: npm run reference -->',
    '<!-- The table above is made by: npm run reference -->',
  ],
} as const
/** Longest list of fields that a table writes out. */
const mostFields = 14

type Schema = NonNullable<NonNullable<Operation['requestBody']>['content'][string]['schema']>

/**
 * Puts tables of all requests between the marks of a page, one for each resource.
 * @param summaries of the requests, in Markdown, keyed as `GET /api/jobs/{id}`
 */
export function withReference(page: string, document: OpenApi, summaries: ReadonlyMap<string, string>): string {
  const all = operationsOf(document)
  const names = [...new Set(all.map(({ request }) => resourceOf(request)))]
  const tables = names.map((name) => {
    const operations = all.filter(({ request }) => resourceOf(request) === name)
    const rows = operations.map(({ request, operation }) =>
      row([
        `\`${shown(request)}\``,
        whoOf(operation),
        takenOf(document, operation),
        answerOf(document, operation),
        summaries.get(request) ?? '',
      ]),
    )
    return [`### ${name}`, '', '| request | for | takes | answers | |', '|---|---|---|---|---|', ...rows].join('\n')
  })
  return between(page, 'tables', tables.join('\n\n'))
}

/** A socket request as the reference shows it. `input`: its JSON schema. */
export type DocumentedRequest = {
  namespace: string
  event: string
  role: string
  password?: true
  summary: string
  input: object
}

/** Puts the table of all socket requests between the marks of a page. */
export function withSocketRequests(page: string, requests: readonly DocumentedRequest[]): string {
  const rows = requests.map(({ namespace, event, role, password, summary, input }) =>
    row([
      `\`${namespace}\``,
      `\`${event}\``,
      role + (password === true ? ', password' : ''),
      fieldsOf(noComponents, input) || '`{}`',
      summary,
    ]),
  )
  return between(
    page,
    'table',
    ['| namespace | request | for | takes | |', '|---|---|---|---|---|', ...rows].join('\n'),
  )
}

const noComponents = { components: { schemas: {} } }

/** Puts the table of all requests that ask for the password again between the marks of a page. */
export function withStepUp(
  page: string,
  routes: readonly { method: string; path: string; password: boolean | 'sometimes'; summary: string }[],
  requests: readonly DocumentedRequest[],
): string {
  const rest = routes
    .filter(({ password }) => password !== false)
    .toSorted((one, other) => one.path.localeCompare(other.path) || one.method.localeCompare(other.method))
    .map(({ method, path, password, summary }) => {
      const request = `\`${method.toUpperCase()} /api${path}\``
      return row([request, password === 'sometimes' ? 'if it allows more than before' : 'always', summary])
    })
  const sockets = requests
    .filter(({ password }) => password === true)
    .map(({ namespace, event, summary }) => row([`\`${event}\` on \`${namespace}\``, 'always', summary]))
  return between(page, 'table', ['| request | asks | |', '|---|---|---|', ...rest, ...sockets].join('\n'))
}

const row = (cells: readonly string[]) => ['', ...cells, ''].join(' | ').trim()

/** Replaces what stands between two marks of a page. @throws Error if the page lacks one of them */
function between(page: string, kind: keyof typeof marks, text: string): string {
  const [begin, end] = marks[kind]
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`The page has no ${kind} between the marks of npm run reference.`)
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`
}

/** \`{id}\` as the rest of the pages writes it. */
const shown = (request: string) => request.replace(/\{path\}$/, 'PATH').replace(/\{(\w+)\}/g, ':$1')

const resourceOf = (request: string) => request.split('/')[2] ?? ''

function whoOf(operation: Operation): string {
  const who = { public: 'everybody', key: 'its own key' }[operation['x-role']] ?? operation['x-role']
  const password = { true: ', password', sometimes: ', at times the password' }[String(operation['x-password'])] ?? ''
  const token = operation['x-token'] === 'none' ? '' : `, token: ${operation['x-token']}`
  return who + password + token
}

function takenOf(document: OpenApi, { parameters, requestBody }: Operation): string {
  const query = parameters.flatMap((one) => (one.in === 'query' ? [`\`${one.name}${one.required ? '' : '?'}\``] : []))
  const body = fieldsOf(document, requestBody?.content['application/json']?.schema)
  return [...query, ...(body === '' ? [] : [body])].join(', ')
}

function answerOf(document: OpenApi, operation: Operation): string {
  const { status, content } = successOf(operation)
  const json = content['application/json']
  const said = json
    ? fieldsOf(document, json.schema)
    : Object.keys(content)
        .map((type) => `\`${type}\``)
        .join(' or ')
  return [...(status === '200' ? [] : [status]), ...(said === '' ? [] : [said])].join(', ')
}

/** The names of an object's fields: \`{items, next?}\`; of a union, those of each member. */
function fieldsOf(document: { components: Pick<OpenApi['components'], 'schemas'> }, given: Schema | undefined): string {
  if (given === undefined) return ''
  const schema = given.$ref === undefined ? given : (document.components.schemas[given.$ref.replace(/^.*\//, '')] ?? {})
  const either = schema.anyOf ?? schema.oneOf
  if (either !== undefined) return either.map((one) => fieldsOf(document, one)).join(' or ')
  if (schema.properties === undefined) return schema.description ?? ''
  const { required = [] } = schema
  const names = Object.entries(schema.properties).map(([name, { items }]) => {
    const of = items?.$ref === undefined ? '' : `: ${items.$ref.replace(/^.*\//, '')}[]`
    return `${name}${required.includes(name) ? '' : '?'}${of}`
  })
  return `\`{${names.slice(0, mostFields).join(', ')}${names.length > mostFields ? ', …' : ''}}\``
}
