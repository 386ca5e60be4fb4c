# /// script
# dependencies = ["pandas>=2.2,<4"]
# ///
import numpy
import pandas

from miranda import Field, Node, Slider, Transmitter

PRODUCTS = {"Tea": 6.5, "Coffee": 9.0, "Honey": 7.2, "Bread": 3.8, "Cheese": 11.5, "Olives": 5.4}
COUNTRIES = ["Germany", "France", "Spain", "Italy", "Poland"]


class ShopOrders(Node):
    """Makes up the orders of a small shop: date, customer, country, product, quantity, price and amount."""

    orders = Field(1000, control=Slider(50, 20000))
    seed = Field(7)
    table = Transmitter("dataframe")

    def run(self):
        chance = numpy.random.default_rng(self.seed)
        product = chance.choice(list(PRODUCTS), self.orders, p=[0.2, 0.3, 0.12, 0.2, 0.1, 0.08])
        price = numpy.array([PRODUCTS[name] for name in product]) * chance.choice([1.0, 0.9], self.orders, p=[0.8, 0.2])
        quantity = chance.poisson(2.2, self.orders) + 1
        days = numpy.sort(chance.integers(0, 365, self.orders))
        table = pandas.DataFrame(
            {
                "order": numpy.arange(1, self.orders + 1),
                "date": pandas.Timestamp("2025-01-01") + pandas.to_timedelta(days, unit="D"),
                "customer": chance.integers(1, max(2, self.orders // 5), self.orders),
                "country": chance.choice(COUNTRIES, self.orders, p=[0.35, 0.2, 0.2, 0.15, 0.1]),
                "product": product,
                "quantity": quantity,
                "price": price.round(2),
                "amount": (price * quantity).round(2),
            }
        )
        self.table.send(table)
