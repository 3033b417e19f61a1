import { expect, test } from 'vitest'
import { startJarvis } from './support/start-jarvis.ts'

type Json = Record<string, unknown>
type Operation = {
  operationId: string
  summary: string
  'x-role': string
  'x-password': boolean | 'sometimes'
  security: Record<string, []>[]
  parameters: { name: string; in: string; required: boolean; schema: Json }[]
  requestBody?: { content: Record<string, { schema: Json }> }
  responses: Record<string, { description: string; content?: Record<string, { schema?: Json }> }>
}
type Document = {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json>; securitySchemes: Json }
}

const readDocument = async () => (await (await (await startJarvis()).rest('/api/openapi.json')).json()) as Document
const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  )

test('the document of all routes keeps the rules of OpenAPI 3.1', async () => {
  const document = await readDocument()
  const operations = operationsOf(document)
  expect(document.openapi).toMatch(/^3\.1\.\d$/)

  const text = JSON.stringify(document)
  const refs = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = '']) => ref)
  const names = new Set(Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`))
  expect(refs.filter((ref) => !names.has(ref))).toEqual([])
  expect([...names].filter((name) => !refs.includes(name))).toEqual([])
  expect(Object.keys(document.components.schemas).filter((name) => !/^[\w.-]+$/.test(name))).toEqual([])
  expect(text).not.toMatch(/"\$(?:schema|id)"/)

  const ids = operations.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { method, path, operation } of operations) {
    const inPath = operation.parameters.flatMap((one) => (one.in === 'path' ? [one] : []))
    expect([path, inPath.map(({ name }) => name)]).toEqual([
      path,
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    ])
    expect(inPath.every(({ required }) => required)).toBe(true)
    expect([method, operation.requestBody]).not.toEqual(['get', expect.anything()])
    expect(Object.keys(operation.responses).filter((status) => !/^(2\d\d|default)$/.test(status))).toEqual([])
    const known = Object.keys(document.components.securitySchemes)
    expect(operation.security.flatMap((one) => Object.keys(one)).filter((name) => !known.includes(name))).toEqual([])
  }
})
