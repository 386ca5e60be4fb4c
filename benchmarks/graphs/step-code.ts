/** Code of a node with a receiver `rows`, a transmitter `out` and two fields. */
export const stepCode = `from miranda import Field, Node, Receiver, Slider, Transmitter


class Step(Node):
    rows = Receiver("table")
    rate = Field(10, control=Slider(1, 200))
    label = Field("water")
    out = Transmitter("table")

    def run(self):
        self.out.send([row for row in self.rows if row["level"] > self.rate])
`;
