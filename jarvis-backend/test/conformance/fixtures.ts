import { acceptedContent, inputRequired } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { toResult } from '../../src/mcp/server/call-result.ts'
import type { Prompt, Surface } from '../../src/mcp/server/surface.ts'
import { reading } from '../../src/tools/homelab/homelab-tool.ts'
import { defineTool, type Tool } from '../../src/tools/tool.ts'
import { answers } from './answers.ts'
import { embedded, image, png, text } from './content.ts'
import { slowTools } from './slow-tools.ts'

/** The server that the suite expects: tools that pass JARVIS's gate like any other, resources and prompts. */
export function conformanceFixtures(): { tools: Tool[]; surface(real: Surface): Surface } {
  const watching = new Set<() => void>()
  const tool = (name: string, input: z.ZodObject, run: () => { text: string; isError?: boolean }) =>
    defineTool({
      name,
      title: name,
      description: 'Exists for the conformance suite alone.',
      ...reading,
      timeoutMs: 10_000,
      input,
      run: async () => ({ summary: name, ...run() }),
    })
  const none = z.strictObject({})
  const asked: Record<string, z.ZodObject> = {
    test_sampling: z.strictObject({ prompt: z.string() }),
    test_elicitation: z.strictObject({ message: z.string() }),
  }
  const tools = [
    tool('test_simple_text', none, () => ({ text: 'This is a simple text response for testing.' })),
    tool('test_error_handling', none, () => ({
      text: 'This tool intentionally returns an error for testing',
      isError: true,
    })),
    tool('test_trigger_tool_change', none, () => {
      for (const tell of watching) tell()
      return { text: 'Told.' }
    }),
    ...slowTools,
    ...Object.keys(answers).map((name) => tool(name, asked[name] ?? none, () => ({ text: 'Answered below.' }))),
  ]
  return {
    tools,
    surface: (real) => ({
      watchTools(listener) {
        watching.add(listener)
        return () => watching.delete(listener)
      },
      prompts: [...real.prompts, ...prompts],
      resources: {
        list: (token) => [...real.resources.list(token), ...files.map(({ uri, mimeType }) => described(uri, mimeType))],
        templates: [
          ...real.resources.templates,
          {
            uriTemplate: 'test://template/{id}/data',
            name: 'template',
            title: 'Template',
            description: 'Of the suite.',
            mimeType: 'application/json',
          },
        ],
        async read(uri, token) {
          const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
          if (id !== undefined) {
            const data = { id, templateTest: true, data: `Data for ID: ${id}` }
            return { uri, mimeType: 'application/json', text: JSON.stringify(data) }
          }
          return files.find((file) => file.uri === uri) ?? real.resources.read(uri, token)
        },
        complete: real.resources.complete,
      },
      answers: {
        ...Object.fromEntries(
          Object.entries(answers).map(([name, answer]) => [
            name,
            async (outcome, context, input) => {
              if (outcome.type !== 'tool_result' || outcome.isError) throw new Error(`${name} did not pass the gate`)
              return answer(input, context)
            },
          ]),
        ),
        // As they are, by the SDK's way: a plain read's own way knows no tasks.
        ...Object.fromEntries(slowTools.map(({ name }) => [name, async (outcome) => toResult(outcome)])),
      },
    }),
  }
}

const described = (uri: string, mimeType: string) => ({
  uri,
  mimeType,
  name: uri,
  title: uri,
  description: 'Of the suite.',
})

const files = [
  {
    uri: 'test://static-text',
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  { uri: 'test://static-binary', mimeType: 'image/png', blob: png },
  { uri: 'test://watched-resource', mimeType: 'text/plain', text: 'It is watched.' },
]

const user = <C>(content: C) => ({ role: 'user' as const, content })
const prompt = (name: string, asked: string[], get: Prompt['get']): Prompt => ({
  name,
  title: name,
  description: 'Of the suite.',
  arguments: asked.map((argument) => ({ name: argument, description: argument, required: true })),
  complete: ({ begun }) => ['paris', 'park', 'party'].filter((value) => value.startsWith(begun)),
  get,
})
const prompts: Prompt[] = [
  prompt('test_simple_prompt', [], async () => ({ messages: [user(text('This is a simple prompt for testing.'))] })),
  prompt('test_prompt_with_arguments', ['arg1', 'arg2'], async ({ arg1, arg2 }) => ({
    messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  })),
  prompt('test_prompt_with_embedded_resource', ['resourceUri'], async ({ resourceUri = '' }) => ({
    messages: [
      user(embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
      user(text('Please process the embedded resource above.')),
    ],
  })),
  prompt('test_prompt_with_image', [], async () => ({
    messages: [user(image), user(text('Please analyze the image above.'))],
  })),
  prompt('test_input_required_result_prompt', [], async (_values, { mcpReq }) => {
    const given = acceptedContent<{ context: unknown }>(mcpReq.inputResponses, 'user_context')
    if (given !== undefined) return { messages: [user(text(`In the context ${String(given.context)}`))] }
    return inputRequired({
      inputRequests: {
        user_context: inputRequired.elicit({
          message: 'What context should the prompt use?',
          requestedSchema: { type: 'object', properties: { context: { type: 'string' } }, required: ['context'] },
        }),
      },
    })
  }),
]
