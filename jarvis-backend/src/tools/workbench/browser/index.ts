import { acceptDialog } from './accept-dialog.ts'
import { clickElement } from './click-element.ts'
import { fillField } from './fill-field.ts'
import { getPageText } from './get-page-text.ts'
import { goBack } from './go-back.ts'
import { hoverElement } from './hover-element.ts'
import { openPage } from './open-page.ts'
import { pressKeys } from './press-keys.ts'
import { readPage } from './read-page.ts'
import { selectOption } from './select-option.ts'
import { switchTab } from './switch-tab.ts'
import { takeScreenshot } from './take-screenshot.ts'
import { uploadFiles } from './upload-files.ts'
import { waitForPage } from './wait-for-page.ts'

/** The tools over pages in a browser. */
export const browserTools = [
  ...[openPage, readPage, clickElement, fillField, selectOption, pressKeys, hoverElement, takeScreenshot],
  ...[waitForPage, getPageText, switchTab, goBack, uploadFiles, acceptDialog],
]
