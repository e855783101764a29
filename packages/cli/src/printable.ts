// Colours are kept; anything that could move the cursor, rename the window or overwrite earlier lines is removed.
/* oxlint-disable no-control-regex -- control characters are what this is about */
const ALLOWED = /\u001b\[[0-9;]*m|\t/g
const CONTROLS = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)?|[\u0000-\u001f\u007f-\u009f]/g

/** Makes one line of untrusted text safe for a terminal. */
export function printable(text: string): string {
  return text.replaceAll(CONTROLS, (found) => (found.replace(ALLOWED, '') === '' ? found : ''))
}
