import { type OpenApi, type Operation, operationsOf, successOf } from './api-client.ts'

const begin = '<!-- The tables below are made by: npm run reference -->'
const end = '<!-- The tables above are made by: npm run reference -->'
/** Longest list of fields that a table writes out. */
const mostFields = 14

type Schema = NonNullable<NonNullable<Operation['requestBody']>['content'][string]['schema']>

/**
 * Puts tables of all requests between the marks of a page, one for each resource.
 * @param summaries of the requests, in Markdown, keyed as `GET /api/jobs/{id}`
 */
export function withReference(page: string, document: OpenApi, summaries: ReadonlyMap<string, string>): string {
  const before = page.slice(0, page.indexOf(begin) + begin.length)
  const after = page.slice(page.indexOf(end))
  const all = operationsOf(document)
  const names = [...new Set(all.map(({ request }) => resourceOf(request)))]
  const tables = names.map((name) => {
    const operations = all.filter(({ request }) => resourceOf(request) === name)
    const rows = operations.map(({ request, operation }) =>
      [
        '',
        `\`${shown(request)}\``,
        whoOf(operation),
        takenOf(document, operation),
        answerOf(document, operation),
        summaries.get(request) ?? '',
        '',
      ]
        .join(' | ')
        .trim(),
    )
    return [`### ${name}`, '', '| request | for | takes | answers | |', '|---|---|---|---|---|', ...rows].join('\n')
  })
  return `${before}\n\n${tables.join('\n\n')}\n\n${after}`
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
function fieldsOf(document: OpenApi, given: Schema | undefined): string {
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
