import type { Page } from "@playwright/test";

// Three connected nodes, and where the page shows their runs.

export const load = `from miranda import Node, Transmitter


class Load(Node):
    rows = Transmitter("table")

    def run(self):
        print("loading")
        self.show([{"tide": 1, "port": "Brest"}, {"tide": 5, "port": "Dover"}])
        self.rows.send([{"tide": at} for at in range(12)])
`;

export const sum = `import time
from miranda import Node, Receiver, Transmitter


class Sum(Node):
    rows = Receiver("table")
    total = Transmitter("number")

    def run(self):
        total = sum(row["tide"] for row in self.rows)
        time.sleep(0.02)
        self.log.info("total is %d", total)
        self.total.send(total)
`;

export const report = `from miranda import Node, Receiver


class Report(Node):
    total = Receiver("number")

    def run(self):
        limit = {"highest": 10}
        print("share", self.total / limit["lowest"])
`;

export const hit = (page: Page) => page.getByRole("region", { name: "Breakpoint hit" });
export const runButton = (page: Page) => page.getByRole("button", { name: "Run", exact: true });
