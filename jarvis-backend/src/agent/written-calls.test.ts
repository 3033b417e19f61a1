import { expect, test } from 'vitest'
import { meantName } from '../lib/meant-name.ts'
import { writtenCalls } from './written-calls.ts'

const offered = ['stop_container', 'stop_vm', 'get_vms', 'odd__good']
const fence = '```'
const call = '{"name":"stop_vm","arguments":{"vmid":105}}'

/** Calls of stop_vm as models write them. */
const written: string[] = [
  `I'll stop it now.\n<tool_call>\n${call}\n</tool_call>`,
  `<tool_call>${call}`,
  `<tool_call>\n{"arguments": {"vmid": 105}, "name": "stop_vm"}\n</tool_call>`,
  '<tool_call>stop_vm\n<arg_key>vmid</arg_key>\n<arg_value>105</arg_value>\n</tool_call>',
  '<function=stop_vm>\n<parameter=vmid>\n105\n</parameter>\n</function>\n</tool_call>',
  '<function=stop_vm>{"vmid": 105}</function>',
  '<function name="stop_vm">{"vmid": 105}</function>',
  `<function_call>${call}</function_call>`,
  `[TOOL_CALLS][${call}]`,
  '[TOOL_CALLS]stop_vm[ARGS]{"vmid":105}',
  `[TOOL_REQUEST]${call}[END_TOOL_REQUEST]`,
  `<|tool_call|>[${call}]`,
  '<|tool_call>call:stop_vm{vmid:105}<tool_call|>',
  '<|python_tag|>stop_vm.call(vmid=105)',
  '<|python_tag|>{"name": "stop_vm", "parameters": {"vmid": 105}}',
  `<TOOLCALL>[${call}]</TOOLCALL>`,
  '<invoke name="stop_vm">\n<parameter name="vmid">105</parameter>\n</invoke>',
  '<function_calls>\n<invoke name="stop_vm">\n<parameter name="vmid">105</parameter>\n</invoke>\n</function_calls>',
  '<minimax:tool_call>\n<invoke name="stop_vm">\n</invoke>',
  '<｜DSML｜function_calls><｜DSML｜invoke name="stop_vm">',
  `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>stop_vm\n${fence}json\n{"vmid":105}\n${fence}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>stop_vm<｜tool▁sep｜>{"vmid":105}<｜tool▁call▁end｜>',
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.stop_vm:0<|tool_call_argument_begin|>{"vmid":105}',
  'functions.stop_vm:0{"vmid":105}',
  '<|channel|>commentary to=functions.stop_vm <|constrain|>json<|message|>{"vmid":105}<|call|>',
  '<|start|>assistant<|channel|>commentary to=stop_vm code<|message|>{"vmid":105}',
  'assistantcommentary to=functions.stop_vm json{"vmid":105}',
  '<|START_ACTION|>[{"tool_name": "stop_vm", "parameters": {"vmid": 105}}]<|END_ACTION|>',
  '<stop_vm>\n<vmid>105</vmid>\n</stop_vm>',
  'Thought: I must stop it.\nAction: stop_vm\nAction Input: {"vmid": 105}',
  call,
  `[${call}]`,
  '{\n  "tool": "stop_vm",\n  "args": {"vmid": 105}\n}',
  '{"type":"function","function":{"name":"stop_vm","parameters":{"vmid":105}}}',
  '{"tool_calls":[{"id":"1","type":"function","function":{"name":"stop_vm","arguments":"{}"}}]}',
  '{"stop_vm": {"vmid": 105}}',
  'I will do it:\n{"name": "stop_vm", "arguments": {"vmid": 105}}',
  `${fence}json\n{"tool":"stop_vm","args":{"vmid":105}}\n${fence}`,
  `${fence}\n${call}\n${fence}\n`,
  `${fence}xml\n<tool_call>\n${call}\n</tool_call>\n${fence}`,
  `${fence}tool_code\nprint(default_api.stop_vm(vmid=105))\n${fence}`,
  `I'll stop it.\n${fence}tool_call\n${call}\n${fence}`,
  'stop_vm(vmid=105)',
  '[stop_vm(vmid=105)]',
  'stop_vm {"vmid": 105}',
  '/stop_vm vmid=105',
  '<tool_call>{"name":"default_api:stop_vm","arguments":{}}</tool_call>',
  '<tool_call>{"name":"stop_vms","arguments":{}}</tool_call>',
]

/** Answers that only speak of calls. */
const said: string[] = [
  '',
  'VM 105 is stopped.',
  'I can call stop_vm for you. Shall I?',
  `Qwen writes a call like this:\n${fence}\n<tool_call>\n${call}\n</tool_call>\n${fence}\nand the server reads it.`,
  `A call of \`stop_vm\` is JSON such as \`${call}\`.`,
  'Qwen puts its calls into `<tool_call>` tags, with JSON in them; for instance stop_vm and its arguments.',
  `The request was:\n${fence}json\n${call}\n${fence}`,
  'Models that know <tool_call> tags, such as Qwen, call stop_vm by them.',
  '{"name":"web","status":"running"}',
  '{"vms":[{"name":"web","parameters":{"cores":2}}]}',
  '<tool_call>{"name":"make_coffee","arguments":{}}</tool_call>',
  '[1] The list (see get_vms) has two rows.',
  'Use get_vms (it lists all) or stop_vm(…) in a runbook.',
  '/var/log is full: use=97 %',
  'Write it as <stop_vm> in the runbook.',
]

test('a call that is written as text is known in any form, by the name of a tool that was offered', () => {
  const missed = written.filter((text) => writtenCalls(text, offered).join() !== 'stop_vm')
  const wrong = said.filter((text) => writtenCalls(text, offered).length > 0)
  expect({ missed, wrong }).toEqual({ missed: [], wrong: [] })
  expect(written.flatMap((text) => writtenCalls(text, []))).toEqual([])
  expect(writtenCalls(`[TOOL_CALLS][${call},{"name":"get_vms","arguments":{}}]`, offered)).toEqual([
    'stop_vm',
    'get_vms',
  ])
})

test('a name with leftovers of a template leads to the name that was meant', () => {
  const given = [
    ...[
      'default_api:stop_vm',
      'default_api.stop_vm',
      'functions.stop_vm',
      'functions.stop_vm:0',
      'stop_vm:0',
      'stop_vm\n',
    ],
    ...[
      'stop_vm<|channel|>commentary',
      'stop_vm<|constrain|>json',
      '"stop_vm"',
      'stop_vm()',
      'stop_vm[ARGS]',
      'stopvm',
    ],
    ...['mcp__jarvis__stop_vm', 'functions_stop_vm', 'Stop_VM', 'stop-vm', 'stop_vm {"vmid": 105}', ' stop_vm '],
  ]
  expect(given.filter((name) => meantName(name, offered) !== 'stop_vm')).toEqual([])
  expect(meantName('odd__good', offered)).toBe('odd__good')
  expect(meantName('make_coffee', offered)).toBeUndefined()
  expect(meantName('', offered)).toBeUndefined()
})
