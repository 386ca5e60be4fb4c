# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
import numpy
import pandas

from miranda import Field, Node, Slider, Transmitter


class CustomerChurn(Node):
    """Makes up customers of a telephone company, and who left it. Some cells are empty, as in real life."""

    customers = Field(1500, control=Slider(100, 20000))
    seed = Field(7)
    table = Transmitter("dataframe")

    def run(self):
        chance = numpy.random.default_rng(self.seed)
        size = self.customers
        months = chance.integers(1, 73, size)
        contract = chance.choice(["monthly", "one year", "two years"], size, p=[0.55, 0.25, 0.2])
        internet = chance.choice(["fibre", "cable", "none"], size, p=[0.45, 0.4, 0.15])
        calls = chance.poisson(1.4, size)
        price = 20 + 35 * (internet == "fibre") + 18 * (internet == "cable") + chance.normal(0, 6, size)
        score = -1.1 - 0.035 * months + 0.55 * calls + 0.02 * (price - 45)
        score += 1.3 * (contract == "monthly") - 0.9 * (contract == "two years")
        left = chance.random(size) < 1 / (1 + numpy.exp(-score))
        table = pandas.DataFrame(
            {
                "months": months,
                "contract": contract,
                "internet": internet,
                "support_calls": calls,
                "monthly_price": price.round(2),
                "left": numpy.where(left, "yes", "no"),
            }
        )
        table.loc[chance.random(size) < 0.03, "monthly_price"] = numpy.nan
        self.table.send(table)
