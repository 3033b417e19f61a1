import type { AreaName } from '../../protocol/index.ts'

/** Tools of the workbench for which there are sentences, by the area that brings them. */
const tools: Readonly<Record<AreaName, readonly string[]>> = {
  files: ['read_file', 'glob_files', 'grep_files', 'edit_file', 'write_file'],
  exec: ['run_command'],
  web: ['web_fetch', 'web_search'],
  browser: ['open_page', 'get_page_text', 'take_screenshot', 'read_page', 'click_element', 'go_back'],
  git: ['read_git', 'commit_files'],
  docker: [
    ...['list_docker_containers', 'inspect_docker_container', 'get_docker_logs'],
    ...['control_docker_container', 'run_in_docker_container'],
  ],
}
const titles: Readonly<Record<AreaName, string>> = {
  files: 'Files',
  exec: 'Commands',
  web: 'Web',
  browser: 'Browser',
  git: 'Git',
  docker: 'Docker',
}

/** What a tool needs that is not offered here, and where an owner turns it on. */
export function notOffered(toolName: string): string {
  const needs = `That needs ${toolName}, which is not offered here, sir.`
  const area = (Object.keys(tools) as AreaName[]).find((name) => tools[name].includes(toolName))
  return area === undefined
    ? needs
    : `${needs} It belongs to ${titles[area]} of the workbench: an owner turns ${titles[area]} on under Settings, Workbench, or by \`jarvis workbench on ${area}\`.`
}
