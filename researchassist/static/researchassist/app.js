// The chat page's scripts. htmx does what is between them. No build step, nothing inline, nothing evaluated.

import "./errors.js";
import "./follow.js";
import "./turn.js";
import "./answers.js";
import "./sources.js";
import "./composer.js";
import "./completion.js";
import "./commands.js";
import "./files.js";
import "./focus.js";
import "./tabs.js";
import "./threads.js";
