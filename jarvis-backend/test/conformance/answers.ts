import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { ToolInput } from 'protocol'
import { audio, embedded, image, text } from './content.ts'

type Answer = (input: ToolInput, context: ServerContext) => Promise<CallToolResult | InputRequiredResult>

const says = (...content: CallToolResult['content']): CallToolResult => ({ content })
const saysText = (words: string) => says(text(words))

const form = (message: string, name: string, type: 'string' | 'boolean' = 'string') =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: 'object',
      properties: { [name]: type === 'string' ? { type } : { type } },
      required: [name],
    },
  })
const sampling = (prompt: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(prompt) }], maxTokens })

const states = createRequestStateCodec<{ step: number; name?: unknown }>({ key: 'k'.repeat(32) })

/** @throws ProtocolError where it is not as it was given out. */
async function stateOf({ mcpReq }: ServerContext, context: ServerContext) {
  const given = mcpReq.requestState<string>()
  if (given === undefined) return undefined
  try {
    return await states.verify(given, context)
  } catch {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'This requestState was not given out here.')
  }
}

async function elicit(context: ServerContext, message: string, requestedSchema: unknown): Promise<CallToolResult> {
  const { action, content } = await context.mcpReq.elicitInput({
    mode: 'form',
    message,
    requestedSchema: requestedSchema as ElicitRequestFormParams['requestedSchema'],
  })
  return saysText(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`)
}

const capabilitiesOf = ({ mcpReq }: ServerContext) =>
  ((mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as Record<
    string,
    unknown
  >

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

/** Answers of the suite's tools, by name; `undefined`: text alone, which the tool itself has given. */
export const answers: Record<string, Answer> = {
  test_image_content: async () => says(image),
  test_audio_content: async () => says(audio),
  test_embedded_resource: async () =>
    says(embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')),
  test_multiple_content_types: async () =>
    says(
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ),
  async test_tool_with_logging(_input, { mcpReq }) {
    for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', words)
      await pause(50)
    }
    return saysText('Logged.')
  },
  async test_logging_tool(_input, { mcpReq }) {
    await mcpReq.log('info', 'A line for who asked for lines')
    return saysText('Logged.')
  },
  async test_tool_with_progress(_input, { mcpReq }) {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
      }
      await pause(50)
    }
    return saysText('Done.')
  },
  async test_sampling({ prompt }, { mcpReq }) {
    const { content } = await mcpReq.requestSampling({
      messages: [{ role: 'user', content: text(String(prompt)) }],
      maxTokens: 100,
    })
    const [first] = [content].flat()
    return saysText(`LLM response: ${first?.type === 'text' ? first.text : ''}`)
  },
  test_elicitation: async ({ message }, context) =>
    elicit(context, String(message), {
      type: 'object',
      properties: {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      },
      required: ['username', 'email'],
    }),
  test_elicitation_sep1034_defaults: async (_input, context) =>
    elicit(context, 'Defaults', {
      type: 'object',
      properties: {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
      required: [],
    }),
  test_elicitation_sep1330_enums: async (_input, context) =>
    elicit(context, 'Enums', {
      type: 'object',
      properties: {
        untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
        titledSingle: {
          type: 'string',
          oneOf: [1, 2, 3].map((n) => ({ const: `value${n}`, title: `${['First', 'Second', 'Third'][n - 1]} Option` })),
        },
        legacyEnum: {
          type: 'string',
          enum: ['opt1', 'opt2', 'opt3'],
          enumNames: ['Option One', 'Option Two', 'Option Three'],
        },
        untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
        titledMulti: {
          type: 'array',
          items: {
            anyOf: [1, 2, 3].map((n) => ({
              const: `value${n}`,
              title: `${['First', 'Second', 'Third'][n - 1]} Choice`,
            })),
          },
        },
      },
      required: [],
    }),
  async test_missing_capability(_input, context) {
    if (capabilitiesOf(context).sampling !== undefined) return saysText('There is sampling.')
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
  },
  test_streaming_elicitation: async () => inputRequired({ inputRequests: { user_name: form('Name?', 'name') } }),
  async test_input_required_result_elicitation(_input, { mcpReq }) {
    const given = acceptedContent<{ name: unknown }>(mcpReq.inputResponses, 'user_name')
    if (typeof given?.name === 'string') return saysText(`Hello, ${given.name}!`)
    return inputRequired({ inputRequests: { user_name: form('What is your name?', 'name') } })
  },
  async test_input_required_result_sampling(_input, { mcpReq }) {
    const given = inputResponse(mcpReq.inputResponses, 'capital_question')
    if (given.kind === 'sampling') return saysText(`It said ${JSON.stringify(given)}`)
    return inputRequired({ inputRequests: { capital_question: sampling('What is the capital of France?', 100) } })
  },
  async test_input_required_result_list_roots(_input, { mcpReq }) {
    const given = inputResponse(mcpReq.inputResponses, 'client_roots')
    if (given.kind === 'roots') return saysText(JSON.stringify(given))
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
  },
  async test_input_required_result_request_state(_input, context) {
    if ((await stateOf(context, context)) !== undefined && context.mcpReq.inputResponses !== undefined) {
      return saysText('state-ok')
    }
    return inputRequired({
      inputRequests: { confirm: form('Please confirm', 'ok', 'boolean') },
      requestState: await states.mint({ step: 1 }, context),
    })
  },
  async test_input_required_result_multiple_inputs(_input, context) {
    const given = context.mcpReq.inputResponses ?? {}
    if ((await stateOf(context, context)) !== undefined && Object.keys(given).length >= 3) {
      return saysText(JSON.stringify(given))
    }
    return inputRequired({
      inputRequests: {
        user_name: form('What is your name?', 'name'),
        greeting: sampling('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await states.mint({ step: 1 }, context),
    })
  },
  async test_input_required_result_multi_round(_input, context) {
    const state = await stateOf(context, context)
    const responses = context.mcpReq.inputResponses
    if (state?.step === 2) return saysText(`${String(state.name)} likes ${JSON.stringify(responses)}`)
    if (state?.step === 1) {
      const name = acceptedContent<{ name: unknown }>(responses, 'step1')?.name
      return inputRequired({
        inputRequests: { step2: form('Step 2: What is your favorite color?', 'color') },
        requestState: await states.mint({ step: 2, name }, context),
      })
    }
    return inputRequired({
      inputRequests: { step1: form('Step 1: What is your name?', 'name') },
      requestState: await states.mint({ step: 1 }, context),
    })
  },
  async test_input_required_result_tampered_state(_input, context) {
    if ((await stateOf(context, context)) !== undefined) return saysText('The state is whole.')
    return inputRequired({
      inputRequests: { confirm: form('Please confirm', 'ok', 'boolean') },
      requestState: await states.mint({ step: 1 }, context),
    })
  },
  async test_input_required_result_capabilities(_input, context) {
    const can = capabilitiesOf(context)
    return inputRequired({
      inputRequests: {
        ...(can.elicitation !== undefined && { name: form('What is your name?', 'name') }),
        ...(can.sampling !== undefined && { greeting: sampling('Generate a greeting', 50) }),
      },
    })
  },
}
